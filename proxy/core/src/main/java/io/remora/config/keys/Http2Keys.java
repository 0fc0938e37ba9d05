package io.remora.config.keys;

/** The keys of a listener's {@code http2}, in the order of the page. Loaded only for who speaks it. */
public final class Http2Keys {
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

    private Http2Keys() {}
}
