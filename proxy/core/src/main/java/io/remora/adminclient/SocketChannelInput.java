package io.remora.adminclient;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The input of a Unix socket with a timeout for each read, which the JDK has for TCP only.
 *
 * <p>Owner: one thread. It makes the channel non-blocking until it is closed.
 */
final class SocketChannelInput extends InputStream {
    private static final int OCTET = 0xff;

    private final SocketChannel channel;
    private final Selector selector;
    private final int timeoutMs;

    /**
     * @param timeoutMs the time in which the next octets have to arrive, 0 for no limit
     */
    SocketChannelInput(SocketChannel channel, int timeoutMs) throws IOException {
        this.channel = channel;
        this.timeoutMs = timeoutMs;
        channel.configureBlocking(false);
        this.selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & OCTET;
    }

    @Override
    public int read(byte[] octets, int offset, int length) throws IOException {
        ByteBuffer into = ByteBuffer.wrap(octets, offset, length);
        long endNs = System.nanoTime() + timeoutMs * 1_000_000L;
        int count = channel.read(into);
        while (count == 0 && length > 0) {
            long leftMs = timeoutMs == 0 ? 0 : (endNs - System.nanoTime()) / 1_000_000 + 1;
            if (timeoutMs > 0 && leftMs <= 0) {
                throw new SocketTimeoutException("no octets for " + timeoutMs + " ms");
            }
            selector.select(leftMs);
            selector.selectedKeys().clear();
            count = channel.read(into);
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
