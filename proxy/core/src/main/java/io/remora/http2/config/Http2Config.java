package io.remora.http2.config;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Limits;
import io.remora.config.model.Multiplexing;
import io.remora.config.model.Option;

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
 */
public record Http2Config(
        boolean alone,
        int maxConcurrentStreams,
        int streamWindowBytes,
        int connectionWindowBytes,
        int maxHeaderListBytes,
        int maxFrameBytes,
        long keepAliveNs,
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
     * Streams that a client may have open at once on one connection. A further one is refused, so that the client may
     * send it elsewhere. The default is what RFC 9113 recommends not to go below.
     */
    public static final Key MAX_CONCURRENT_STREAMS =
            Key.count(ListenerKeys.HTTP2, "max-concurrent-streams", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Bytes that a client may send of one request's body before the backend has taken any of it. Under a memory limit a
     * stream gets no more than its exchange was granted. The default keeps a fast link busy.
     */
    public static final Key INITIAL_WINDOW =
            Key.bytes(ListenerKeys.HTTP2, "initial-window", LEAST_WINDOW, MOST_WINDOW, 64 << 10);

    /**
     * Bytes that a client may send ahead for all requests of a connection together, at least twice {@code
     * initial-window}. With the default, fifteen streams of which the backend takes nothing do not hold up a sixteenth.
     */
    public static final Key CONNECTION_WINDOW =
            Key.bytes(ListenerKeys.HTTP2, "connection-window", LEAST_CONNECTION_WINDOW, MOST_WINDOW, 1 << 20);

    /**
     * Size of a request's decompressed header section, counted as HPACK counts it: names, values, and 32 bytes for each
     * field. Beyond it 431, and beyond a quarter more the connection ends. The default is what {@code
     * limits.request-line}, {@code limits.header-block} and {@code limits.header-fields} allow; these hold as well.
     */
    public static final Key MAX_HEADER_LIST =
            Key.bytes(ListenerKeys.HTTP2, "max-header-list", 256, 16 << 20, "by limits");

    /** The payload of one frame, which is held until it is whole. The default is the least that the protocol allows. */
    public static final Key MAX_FRAME =
            Key.bytes(ListenerKeys.HTTP2, "max-frame", LEAST_FRAME, MOST_FRAME, LEAST_FRAME);

    /**
     * Time without an octet from a client with open streams after which the sidecar sends a PING. The connection ends
     * if none comes within as long again. Off by default: each request has its own timeouts.
     */
    public static final Key KEEP_ALIVE = Key.durationOrOffNs(ListenerKeys.HTTP2, "keep-alive");

    /**
     * Bounds on frames that cost the sidecar more than the client. Beyond one, the connection ends with
     * ENHANCE_YOUR_CALM. Streams that are open then have five seconds for their end, unless a bound is passed again.
     */
    public static final Key FLOODS = Key.mapping(ListenerKeys.HTTP2, "floods");

    /**
     * Streams that the client opens within ten seconds, and that are reset before they are a second old. A reset by the
     * sidecar counts if the client broke a rule. Such streams are work that is thrown away. They are too many if they
     * are more than half of its streams as well, so that a client may hedge each call. A browser that leaves a page
     * resets what is open, which is at most {@code max-concurrent-streams}.
     */
    public static final Key RESETS = Key.count(FLOODS, "resets", 1, Key.MAX_COUNT, 200);

    /**
     * Frames in ten seconds that bring no request on. They are PING beyond one for each HEADERS or DATA frame of a
     * response, and WINDOW_UPDATE beyond ten for each DATA frame of a response. SETTINGS, PRIORITY, and frames of
     * unknown types or for closed streams count as well. The allowance that responses earn is capped at 200 of their
     * frames, and expires within ten seconds.
     */
    public static final Key CONTROL_FRAMES = Key.count(FLOODS, "control-frames", 1, Key.MAX_COUNT, 1_000);

    /** DATA frames in ten seconds that neither have content nor end a body. */
    public static final Key EMPTY_FRAMES = Key.count(FLOODS, "empty-frames", 1, Key.MAX_COUNT, 100);

    /** CONTINUATION frames of one header section; full ones bring 16 KiB each. */
    public static final Key CONTINUATIONS = Key.count(FLOODS, "continuations", 1, Key.MAX_PER_CONNECTION, 32);

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
