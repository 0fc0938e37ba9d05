package io.remora.http;

/** The length of a body, where a message's head has it: a count of octets, or {@link #UNKNOWN}. */
public final class BodyLength {
    /** A body whose end shows only when it comes: chunked, close-delimited, or an HTTP/2 stream. */
    public static final long UNKNOWN = -1;

    public static final long NONE = 0;

    /** A body that is announced to have no octets, and whose end still comes: an HTTP/2 stream that has not ended, perhaps with trailers. */
    public static final long EMPTY = -2;

    private BodyLength() {}
}
