package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.remora.metrics.BackendHttp2Stats;

/**
 * The codec of a connection to an endpoint, which has said its settings. It reports to {@link Http2BackendConnection},
 * {@link Http2BackendRequest} and {@link BackendResponse}.
 */
interface BackendCodec extends StreamCodec {
    BackendHttp2Stats stats();

    // ---- settings

    /** Returns how many streams may be open, by the endpoint's settings and ours. */
    int maxStreams();

    /** Returns whether the endpoint takes a CONNECT that names a protocol (RFC 8441 3). */
    boolean takesConnect();

    // ---- streams

    /** Returns the number of the next stream; 0 where there is none to be had. */
    int nextStream();

    /** Takes over {@code content}, and writes it as the windows allow. */
    void writeContent(int stream, ByteBuf content, boolean ends);

    /** Returns whether the windows have room for a stream's content. */
    boolean isWritable(int stream);

    /** Returns whether all of the request has been written. */
    boolean isSent(int stream);

    /** Opens the windows for octets of a response that have been taken. */
    void taken(int stream, int octets);

    /** Resets a stream that is open; it is closed at once, so that nothing of it follows. */
    void reset(int stream, ErrorCode error);

    /** Closes a stream that the endpoint knows nothing of, or nothing of any more; another one may begin at once. */
    void forget(int stream);

    // ---- the connection

    /** Returns whether a read is in progress, so that output is flushed at its end. */
    boolean isReading();

    void flushUnlessReading();

    /** Writes the last GOAWAY. */
    void goAway(ErrorCode error);

    /** Writes a GOAWAY for too many frames; streams under way go on. */
    void calm();
}
