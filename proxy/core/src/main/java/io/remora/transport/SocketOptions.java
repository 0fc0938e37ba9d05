package io.remora.transport;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/** How sockets are read. */
public final class SocketOptions {
    /** Most requests and responses without a body fit. */
    private static final int SMALLEST_READ = 1_024;

    private static final int FIRST_READ = 2_048;

    private SocketOptions() {}

    /**
     * Read buffers that grow with what a connection sends.
     *
     * @param mostBytes of one read
     */
    public static RecvByteBufAllocator readBuffers(int mostBytes) {
        int smallest = Math.min(SMALLEST_READ, mostBytes);
        return new AdaptiveRecvByteBufAllocator(
                smallest, Math.min(Math.max(FIRST_READ, smallest), mostBytes), mostBytes);
    }
}
