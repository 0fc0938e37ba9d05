package io.remora.config.text;

import io.remora.config.keys.DetectKeys;
import io.remora.config.keys.Http2Keys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.DetectConfig;
import io.remora.config.model.Http2Config;
import org.jspecify.annotations.Nullable;

/** Shows a listener's {@code http2} on {@code /config}. */
final class Http2Text {
    private final ConfigText text;

    Http2Text(ConfigText text) {
        this.text = text;
    }

    void listener(Http2Config config, @Nullable DetectConfig detect) {
        text.plain(ListenerKeys.PROTOCOL, config.alone() ? "http2" : detect == null ? "auto" : "detect");
        if (detect != null) {
            detect(detect);
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

    private void detect(DetectConfig detect) {
        text.section(ListenerKeys.DETECT);
        text.text(DetectKeys.CLUSTER, detect.tunnels().cluster());
        text.number(DetectKeys.TIMEOUT, detect.timeoutNs());
    }
}
