package io.remora.config.yaml;

import io.remora.config.keys.Http2Keys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Http2Config;
import io.remora.config.model.Limits;

/** Reads a listener's {@code http2}. Loaded only where a listener speaks it. */
final class Http2Reader {
    private static final String ALONE = "http2";
    /** The bytes that HPACK adds for each field to the size of a table (RFC 7541 4.1). */
    private static final int FIELD_BYTES = 32;
    /** The pseudo-header fields that a request has in addition to the counted ones. */
    private static final int PSEUDO_FIELDS = 4;

    /** The least number of streams for which a connection's window has room. */
    private static final int LEAST_STREAMS = 2;

    private final Problems problems;

    Http2Reader(Problems problems) {
        this.problems = problems;
    }

    /**
     * @param protocol that is not HTTP/1 alone
     */
    Http2Config read(Section listener, Node protocol, Limits limits) {
        if (!protocol.isText(ALONE) && !protocol.isText("auto") && !protocol.isText("detect")) {
            problems.at(protocol, "protocol is " + protocol.quoted() + ", expected http1, http2, auto, tcp or detect");
        }
        Section section = listener.section(ListenerKeys.HTTP2);
        Http2Config config = new Http2Config(
                protocol.isText(ALONE),
                section.integer(Http2Keys.MAX_CONCURRENT_STREAMS),
                section.integer(Http2Keys.INITIAL_WINDOW),
                connectionWindow(section),
                (int) section.number(Http2Keys.MAX_HEADER_LIST, headerList(limits), Http2Keys.MAX_HEADER_LIST.max),
                section.integer(Http2Keys.MAX_FRAME),
                section.number(Http2Keys.KEEP_ALIVE),
                floods(section.section(Http2Keys.FLOODS)));
        section.end();
        return config;
    }

    // a stream whose backend takes nothing has to leave room for the others
    private int connectionWindow(Section section) {
        int stream = section.integer(Http2Keys.INITIAL_WINDOW);
        int connection = section.integer(Http2Keys.CONNECTION_WINDOW);
        if (connection < LEAST_STREAMS * (long) stream) {
            Node given = section.value(Http2Keys.CONNECTION_WINDOW);
            problems.at(
                    given == null ? section.node : given,
                    Http2Keys.CONNECTION_WINDOW.name + " is " + connection + "B, expected at least twice the "
                            + Http2Keys.INITIAL_WINDOW.name + " of " + stream + "B");
        }
        return connection;
    }

    private static long headerList(Limits limits) {
        long fields = (long) (limits.headerFields() + PSEUDO_FIELDS) * FIELD_BYTES;
        return Math.min(Http2Keys.MAX_HEADER_LIST.max, limits.requestLineBytes() + limits.headerBlockBytes() + fields);
    }

    private static Http2Config.Floods floods(Section section) {
        Http2Config.Floods floods = new Http2Config.Floods(
                section.integer(Http2Keys.RESETS),
                section.integer(Http2Keys.CONTROL_FRAMES),
                section.integer(Http2Keys.EMPTY_FRAMES),
                section.integer(Http2Keys.CONTINUATIONS));
        section.end();
        return floods;
    }
}
