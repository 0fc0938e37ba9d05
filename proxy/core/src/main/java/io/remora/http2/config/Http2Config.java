package io.remora.http2.config;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Limits;
import io.remora.config.model.Multiplexing;
import io.remora.config.model.Option;
import java.util.List;

/**
 * The HTTP/2 settings of a listener. Immutable.
 *
 * @param alone whether HTTP/1 is not spoken as well
 * @param maxConcurrentStreams of a connection, as advertised to the client
 * @param streamWindowBytes that may be under way on a stream whose backend takes nothing
 * @param connectionWindowBytes the same for all streams of a connection together
 * @param maxHeaderListBytes of a header section, decompressed, with 32 for each field
 * @param maxFrameBytes of a frame's payload, as advertised to the client
 * @param keepAliveNs after so long without an octet a PING checks that the client is there; {@link Limits#UNLIMITED}
 *     for never
 * @param neverIndexed lower-case names of a response's fields
 */
public record Http2Config(
        boolean alone,
        int maxConcurrentStreams,
        int streamWindowBytes,
        int connectionWindowBytes,
        int maxHeaderListBytes,
        int maxFrameBytes,
        long keepAliveNs,
        List<String> neverIndexed,
        Floods floods)
        implements Multiplexing, PlacedOption {
    public static final String NAME = "http2";

    /** The least that a client may send at once by its protocol (RFC 9113 6.9.2): a connection starts with it. */
    static final int LEAST_CONNECTION_WINDOW = 65_535;

    private static final int LEAST_FRAME = 16 << 10;
    private static final int MOST_FRAME = 1 << 20;
    private static final int MOST_WINDOW = 16 << 20;
    private static final int LEAST_WINDOW = 1 << 10;

    /**
     * Maximum number of concurrent streams per connection. Further streams are refused, and the client can retry them
     * elsewhere. The default is the minimum that RFC 9113 recommends.
     */
    public static final ValueKey<Integer> MAX_CONCURRENT_STREAMS =
            Key.count(ListenerKeys.HTTP2, "max-concurrent-streams", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Number of bytes of a request body that a client can send before the backend reads any of them. Under a memory
     * limit, a stream is limited to the memory granted to its exchange. The default is sufficient for a fast network.
     */
    public static final ValueKey<Integer> INITIAL_WINDOW =
            Key.bytes(ListenerKeys.HTTP2, "initial-window", LEAST_WINDOW, MOST_WINDOW, 64 << 10);

    /**
     * Number of bytes that a client can send ahead for all requests of a connection, at least twice {@code
     * initial-window}. With the default, 15 streams with a blocked backend do not block another stream.
     */
    public static final ValueKey<Integer> CONNECTION_WINDOW =
            Key.bytes(ListenerKeys.HTTP2, "connection-window", LEAST_CONNECTION_WINDOW, MOST_WINDOW, 1 << 20);

    /**
     * Maximum size of the decompressed header section of a request as HPACK counts it: names, values, and 32 bytes per
     * field. Larger requests get status 431. If the size exceeds the limit by a quarter, the connection is closed. The
     * default is derived from {@code limits.request-line}, {@code limits.header-block} and {@code
     * limits.header-fields}, which apply as well.
     */
    public static final ValueKey<Integer> MAX_HEADER_LIST =
            Key.bytes(ListenerKeys.HTTP2, "max-header-list", 256, 16 << 20, "by limits");

    /**
     * Maximum payload size of a frame. A frame is buffered until it is complete. The default is the minimum that the
     * protocol allows.
     */
    public static final ValueKey<Integer> MAX_FRAME =
            Key.bytes(ListenerKeys.HTTP2, "max-frame", LEAST_FRAME, MOST_FRAME, LEAST_FRAME);

    /**
     * Time without data from a client with open streams after which the sidecar sends a PING. If nothing arrives within
     * the same time again, the connection is closed. Off by default because each request has timeouts.
     */
    public static final ValueKey<Long> KEEP_ALIVE = Key.durationOrOffNs(ListenerKeys.HTTP2, "keep-alive");

    /**
     * Names of response fields that are sensitive, at most 32. They are never indexed, in addition to {@code authorization},
     * {@code proxy-authorization}, {@code cookie} and {@code set-cookie}. See [http2.md](http2.md#sensitive-fields).
     */
    public static final Key NEVER_INDEXED = Key.optional(ListenerKeys.HTTP2, "never-indexed", NeverIndexed.TYPE);

    /**
     * Limits on frames that are more expensive for the sidecar than for the client. If a limit is exceeded, the
     * connection ends with ENHANCE_YOUR_CALM. Open streams have five seconds to finish, unless a limit is exceeded
     * again.
     */
    public static final Key FLOODS = Key.mapping(ListenerKeys.HTTP2, "floods");

    /**
     * Maximum number of streams in ten seconds that are reset within one second after they were opened. Resets by the
     * sidecar count if the client violated the protocol. The limit only applies if these are also more than half of all
     * streams, so that a client can hedge every call. A browser that leaves a page resets at most {@code
     * max-concurrent-streams} streams.
     */
    public static final ValueKey<Integer> RESETS = Key.count(FLOODS, "resets", 1, Key.MAX_COUNT, 200);

    /**
     * Maximum number of control frames in ten seconds that are not needed for requests. This counts SETTINGS, PRIORITY,
     * and frames of unknown types or for closed streams. Each HEADERS or DATA frame of a response allows one PING
     * frame, and each DATA frame allows ten WINDOW_UPDATE frames; further ones count as well. At most 200 response
     * frames count for this allowance, which expires within ten seconds.
     */
    public static final ValueKey<Integer> CONTROL_FRAMES = Key.count(FLOODS, "control-frames", 1, Key.MAX_COUNT, 1_000);

    /** Maximum number of empty DATA frames in ten seconds that do not end a body. */
    public static final ValueKey<Integer> EMPTY_FRAMES = Key.count(FLOODS, "empty-frames", 1, Key.MAX_COUNT, 100);

    /** Maximum number of CONTINUATION frames in one header section. Each one can carry 16 KiB. */
    public static final ValueKey<Integer> CONTINUATIONS =
            Key.count(FLOODS, "continuations", 1, Key.MAX_PER_CONNECTION, 32);

    public static final Option<Http2Config> HTTP2 = Option.of(NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.number(MAX_CONCURRENT_STREAMS, maxConcurrentStreams);
        out.number(INITIAL_WINDOW, streamWindowBytes);
        out.number(CONNECTION_WINDOW, connectionWindowBytes);
        out.number(MAX_HEADER_LIST, maxHeaderListBytes);
        out.number(MAX_FRAME, maxFrameBytes);
        out.number(KEEP_ALIVE, keepAliveNs);
        out.unlessEmpty(NEVER_INDEXED, neverIndexed);
        out.section(FLOODS);
        out.number(RESETS, floods.resets());
        out.number(CONTROL_FRAMES, floods.controlFrames());
        out.number(EMPTY_FRAMES, floods.emptyFrames());
        out.number(CONTINUATIONS, floods.continuations());
    }

    /**
     * The bounds beyond which a connection ends as abuse. Immutable.
     *
     * @param resets of streams in ten seconds
     * @param controlFrames in ten seconds
     * @param emptyFrames in ten seconds
     * @param continuations of one header section
     */
    public record Floods(int resets, int controlFrames, int emptyFrames, int continuations) {}
}
