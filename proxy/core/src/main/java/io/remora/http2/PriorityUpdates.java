package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Judges what a client says of the priority of its streams. It is not gone by, nor passed on: requests of many clients share a
 * connection to an endpoint, and the field {@code priority} says the same where it reaches the application.
 *
 * <p>Spec: RFC 9218 section 7.1.
 */
final class PriorityUpdates {
    static final int TYPE = 0x10;

    private static final int ID_OCTETS = 4;

    private PriorityUpdates() {}

    /**
     * @param stream that carries the frame
     * @param payload whose first octets name the stream that it is about; the caller's
     * @throws Http2Exception which ends the connection
     */
    static void judge(int stream, ByteBuf payload) throws Http2Exception {
        if (stream != 0) {
            throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "PRIORITY_UPDATE on a stream");
        }
        if (payload.readableBytes() < ID_OCTETS) {
            throw Http2Exception.connectionError(Http2Error.FRAME_SIZE_ERROR, "PRIORITY_UPDATE without a stream");
        }
        int about = payload.getInt(payload.readerIndex()) & Integer.MAX_VALUE;
        // zero is no stream, and one of the server's is idle, as none is ever pushed
        if ((about & 1) == 0) {
            throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "PRIORITY_UPDATE about no request");
        }
    }
}
