package io.remora.http2.config;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Limits;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;

/** The reader of a listener's {@code http2}. Loaded only where a listener speaks it. */
public final class Http2Part implements FeaturePart {
    private static final String ALONE = "http2";
    /** The bytes that HPACK adds for each field to the size of a table (RFC 7541 4.1). */
    private static final int FIELD_BYTES = 32;
    /** The pseudo-header fields that a request has in addition to the counted ones. */
    private static final int PSEUDO_FIELDS = 4;

    /** The least number of streams for which a connection's window has room. */
    private static final int LEAST_STREAMS = 2;

    @Override
    public Options read(FeatureSection from, Options options) {
        Node protocol = from.section.value(ListenerKeys.PROTOCOL);
        return protocol == null ? options : options.with(Http2Config.HTTP2, read(from, protocol));
    }

    /**
     * @param protocol that is not HTTP/1 alone
     */
    private static Http2Config read(FeatureSection listener, Node protocol) {
        if (!protocol.isText(ALONE) && !protocol.isText("auto") && !protocol.isText("detect")) {
            String expected = ", expected http1, http2, auto, tcp or detect";
            listener.problems.at(protocol, "protocol is " + protocol.quoted() + expected);
        }
        Section section = listener.section.section(ListenerKeys.HTTP2);
        Http2Config config = new Http2Config(
                protocol.isText(ALONE),
                section.get(Http2Config.MAX_CONCURRENT_STREAMS),
                section.get(Http2Config.INITIAL_WINDOW),
                connectionWindow(section, listener.problems),
                (int) section.number(
                        Http2Config.MAX_HEADER_LIST, headerList(listener.limits()), Http2Config.MAX_HEADER_LIST.max),
                section.get(Http2Config.MAX_FRAME),
                section.get(Http2Config.KEEP_ALIVE),
                NeverIndexed.read(section, Http2Config.NEVER_INDEXED, listener.problems),
                floods(section.section(Http2Config.FLOODS)));
        section.end();
        return config;
    }

    // a stream whose backend takes nothing has to leave room for the others
    private static int connectionWindow(Section section, Problems problems) {
        int stream = section.get(Http2Config.INITIAL_WINDOW);
        int connection = section.get(Http2Config.CONNECTION_WINDOW);
        if (connection < LEAST_STREAMS * (long) stream) {
            Node given = section.value(Http2Config.CONNECTION_WINDOW);
            problems.at(
                    given == null ? section.node : given,
                    Http2Config.CONNECTION_WINDOW.name + " is " + connection + "B, expected at least twice the "
                            + Http2Config.INITIAL_WINDOW.name + " of " + stream + "B");
        }
        return connection;
    }

    private static long headerList(Limits limits) {
        long fields = (long) (limits.headerFields() + PSEUDO_FIELDS) * FIELD_BYTES;
        return Math.min(
                Http2Config.MAX_HEADER_LIST.max, limits.requestLineBytes() + limits.headerBlockBytes() + fields);
    }

    private static Http2Config.Floods floods(Section section) {
        Http2Config.Floods floods = new Http2Config.Floods(
                section.get(Http2Config.RESETS),
                section.get(Http2Config.CONTROL_FRAMES),
                section.get(Http2Config.EMPTY_FRAMES),
                section.get(Http2Config.CONTINUATIONS));
        section.end();
        return floods;
    }
}
