package io.remora.config.text;

import io.remora.config.keys.Http2Keys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Http2Config;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;

/** Shows a listener's {@code http2} on {@code /config}. */
final class Http2Text {
    private final ConfigText text;

    Http2Text(ConfigText text) {
        this.text = text;
    }

    void listener(Http2Config config, Options options) {
        boolean detects = options.has(ListenerConfig.DETECT);
        text.plain(ListenerKeys.PROTOCOL, config.alone() ? "http2" : detects ? "detect" : "auto");
        if (detects) {
            text.placed(options, ListenerKeys.DETECT);
        }
        text.section(ListenerKeys.HTTP2);
        text.number(Http2Keys.MAX_CONCURRENT_STREAMS, config.maxConcurrentStreams());
        text.number(Http2Keys.INITIAL_WINDOW, config.streamWindowBytes());
        text.number(Http2Keys.CONNECTION_WINDOW, config.connectionWindowBytes());
        text.number(Http2Keys.MAX_HEADER_LIST, config.maxHeaderListBytes());
        text.number(Http2Keys.MAX_FRAME, config.maxFrameBytes());
        text.number(Http2Keys.KEEP_ALIVE, config.keepAliveNs());
        text.section(Http2Keys.FLOODS);
        text.number(Http2Keys.RESETS, config.floods().resets());
        text.number(Http2Keys.CONTROL_FRAMES, config.floods().controlFrames());
        text.number(Http2Keys.EMPTY_FRAMES, config.floods().emptyFrames());
        text.number(Http2Keys.CONTINUATIONS, config.floods().continuations());
    }
}
