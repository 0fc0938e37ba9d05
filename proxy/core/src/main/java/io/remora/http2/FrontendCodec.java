package io.remora.http2;

import io.netty.buffer.ByteBuf;

/**
 * The codec of a client's connection. It reports to {@link Http2FrontendConnection}, {@link Http2FrontendRequests},
 * {@link Http2FrontendStream}, {@link FrontendFaults} and {@link FrontendGoAway}.
 */
interface FrontendCodec extends StreamCodec {
    // ---- what comes

    /** Takes over whole frames. */
    void decode(ByteBuf frames);

    /** Drops the part that has come of a header section, as nothing more is read. */
    void dropInput();

    /** Returns the highest number that the client has opened. */
    int lastStream();

    /** Returns whether the response is whole, and the request is not. */
    boolean hasAnswered(int id);

    // ---- windows for what comes

    /** Opens the connection's window to that size. */
    void widen(int octets);

    /** Sets the size of a stream's window. */
    void window(int id, int octets);

    /** Opens windows for octets that have been taken; returns whether that has written a frame. */
    boolean taken(int id, int octets);

    // ---- what goes

    /**
     * Takes over {@code content} of a stream that is open, and writes it as the windows allow; {@code output} learns of
     * each octet.
     */
    void queue(int id, ByteBuf content, FrontendOutput output);

    /** Ends a stream behind what of it waits. */
    void endStream(int id);

    /** Ends a stream with trailers that overtake what of it waits, which is dropped. */
    void endStreamEarly(int id, SentSection trailers);

    /** Resets a stream, open or not; it is closed at once, so that nothing of it follows. */
    void reset(int id, long code);

    /** Ignores streams above this number from here on. */
    void refuseAbove(int lastStream);

    /** Writes a GOAWAY, no matter which streams are ignored. */
    void goAway(int lastStream, long code);

    /** Writes what the windows allow, and flushes the channel. */
    void flush();
}
