package io.remora.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection at the recording backend: what a script reads from and writes to, and the record of every byte that
 * came.
 *
 * <p>Owner: scripts run on the connection's own thread; {@link #received}, {@link #receivedBytes} and {@link #ended}
 * may be called from any. While the script waits for bytes, these first take what the kernel holds, so that they never
 * miss what has arrived; a script that is busy is given a moment to come back to its waiting, unless it asks itself.
 *
 * <p>Bounds: the first 4 MiB are recorded, the rest is only counted.
 */
public final class BackendConnection {
    /** A script that does not read for longer means it. */
    private static final int SETTLE_MS = 200;

    private static final int MAX_RECORDED_BYTES = 4 << 20;
    private static final int MAX_WRITTEN_BYTES = 256 << 10;

    private final int index;
    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024).flip();
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
    private final InputStream input = new Input();
    private long receivedBytes;
    private boolean ended;
    private volatile boolean waiting;
    private volatile boolean done;
    private volatile @Nullable Thread script;

    BackendConnection(int index, SocketChannel channel) throws IOException {
        this.index = index;
        this.channel = channel;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** 0 for the first connection the backend accepted. */
    public int index() {
        return index;
    }

    /** The bytes as they come; an end, orderly or not, reads as -1. A read gives up after {@link Await#TIMEOUT_MS}. */
    public InputStream input() {
        return input;
    }

    public RawRequest readRequest() throws IOException {
        return StrictHttp.request(input);
    }

    public RawRequest readHead() throws IOException {
        return StrictHttp.requestHead(input);
    }

    /** Reads until the peer ends the connection, and throws away what comes. */
    public void readToEnd() throws IOException {
        while (awaitByte(0)) {
            buffer.position(buffer.limit());
        }
    }

    public void write(String octets) throws IOException {
        write(Wire.bytes(octets));
    }

    public void write(byte[] octets) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(octets);
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Await.TIMEOUT_MS);
        while (out.position() < octets.length) {
            // the JDK keeps a direct buffer for the largest write of each thread
            out.limit(Math.min(octets.length, out.position() + MAX_WRITTEN_BYTES));
            if (channel.write(out) == 0) {
                awaitWritable(deadlineNs);
            }
        }
    }

    private void awaitWritable(long deadlineNs) throws IOException {
        channel.register(selector, SelectionKey.OP_WRITE);
        selector.select(Await.TIMEOUT_MS);
        selector.selectedKeys().clear();
        channel.register(selector, SelectionKey.OP_READ);
        if (System.nanoTime() - deadlineNs > 0) {
            throw new SocketTimeoutException("the peer does not read");
        }
    }

    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** Ends the connection with RST. */
    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        close();
    }

    public void close() throws IOException {
        done = true;
        selector.close();
        channel.close();
    }

    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Every byte that came so far. */
    public byte[] received() {
        takeWhileWaiting();
        synchronized (recorded) {
            return recorded.toByteArray();
        }
    }

    public long receivedBytes() {
        takeWhileWaiting();
        synchronized (recorded) {
            return receivedBytes;
        }
    }

    /** Whether the peer has ended the connection, with FIN or RST, or it was closed on this side. */
    public boolean ended() {
        takeWhileWaiting();
        synchronized (recorded) {
            return ended || !channel.isOpen();
        }
    }

    /** Waits for a byte that has not been read yet; false at the end. A timeout of 0 waits as long as it takes. */
    boolean awaitByte(int timeoutMs) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        script = Thread.currentThread();
        while (true) {
            synchronized (recorded) {
                waiting = false;
                if (!buffer.hasRemaining()) {
                    take();
                }
                done = ended;
                if (buffer.hasRemaining() || ended) {
                    return buffer.hasRemaining();
                }
                waiting = true;
            }
            selector.select(timeoutMs == 0 ? 1000 : timeoutMs);
            selector.selectedKeys().clear();
            if (timeoutMs > 0 && System.nanoTime() - deadlineNs > 0) {
                throw new SocketTimeoutException("no byte within " + timeoutMs + " ms");
            }
        }
    }

    /** For a script that waits for something other than bytes: what comes meanwhile is recorded all the same. */
    public void waitFor(Runnable event) {
        synchronized (recorded) {
            waiting = true;
        }
        try {
            event.run();
        } finally {
            synchronized (recorded) {
                waiting = false;
            }
        }
    }

    private void takeWhileWaiting() {
        boolean own = Thread.currentThread() == script;
        if (!own) {
            Await.within(SETTLE_MS, () -> waiting || done);
        }
        synchronized (recorded) {
            if (waiting || own) {
                take();
            }
        }
        if (waiting) {
            selector.wakeup();
        }
    }

    /** Moves what the kernel holds into the buffer and the record. With the lock held. */
    private void take() {
        if (buffer.hasRemaining() && buffer.limit() == buffer.capacity() || ended) {
            return;
        }
        int unreadAt = buffer.position();
        int from = buffer.limit();
        if (!buffer.hasRemaining()) {
            unreadAt = 0;
            from = 0;
        }
        buffer.limit(buffer.capacity()).position(from);
        int count = readChannel();
        if (count > 0) {
            record(from, count);
        } else if (count < 0) {
            ended = true;
        }
        buffer.limit(from + Math.max(count, 0)).position(unreadAt);
    }

    private int readChannel() {
        try {
            return channel.read(buffer);
        } catch (IOException endedOtherwise) {
            return -1;
        }
    }

    private void record(int from, int count) {
        receivedBytes += count;
        int room = MAX_RECORDED_BYTES - recorded.size();
        recorded.write(buffer.array(), from, Math.min(count, room));
    }

    @Override
    public String toString() {
        return "connection " + index + ": " + Wire.text(received());
    }

    /** What has been taken and not read yet. */
    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            return awaitByte(Await.TIMEOUT_MS) ? buffer.get() & 0xff : -1;
        }

        /** What is here without waiting, in the kernel too. */
        @Override
        public int available() {
            synchronized (recorded) {
                if (!buffer.hasRemaining()) {
                    take();
                }
                return buffer.remaining();
            }
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!awaitByte(Await.TIMEOUT_MS)) {
                return -1;
            }
            synchronized (recorded) {
                int count = Math.min(length, buffer.remaining());
                buffer.get(into, offset, count);
                return count;
            }
        }
    }
}
