package io.remora.http2;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Judges a client's frames about the priority of its streams. They are not followed, nor passed on: requests of many
 * clients share a connection to an endpoint, and the field {@code priority} says the same where it reaches the
 * application.
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
     * @return the error that ends the connection, null for none
     */
    static @Nullable ErrorCode judge(int stream, ByteBuf payload) {
        if (stream != 0) {
            return ErrorCode.PROTOCOL_ERROR;
        }
        if (payload.readableBytes() < ID_OCTETS) {
            return ErrorCode.FRAME_SIZE_ERROR;
        }
        int about = payload.getInt(payload.readerIndex()) & Integer.MAX_VALUE;
        // zero is no stream, and one of the server's is idle, as none is ever pushed
        return (about & 1) == 0 ? ErrorCode.PROTOCOL_ERROR : null;
    }
}
