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
     * @param in where its payload stands, whose first octets name the stream that it is about
     * @return the error that ends the connection, null for none
     */
    static @Nullable ErrorCode judge(int stream, ByteBuf in, int from, int length) {
        if (stream != 0) {
            return ErrorCode.PROTOCOL_ERROR;
        }
        if (length < ID_OCTETS) {
            return ErrorCode.FRAME_SIZE_ERROR;
        }
        int about = in.getInt(from) & Integer.MAX_VALUE;
        // zero is no stream, and one of the server's is idle, as none is ever pushed
        return (about & 1) == 0 ? ErrorCode.PROTOCOL_ERROR : null;
    }
}
