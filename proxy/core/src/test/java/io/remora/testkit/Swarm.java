package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A crowd of connections on one thread. Each sends the same octets as far as the peer takes them, and reads nothing unless
 * it is told to.
 *
 * <p>Thread safe. Bounds: a connection that the peer has ended stays ended; nobody connects again.
 */
public final class Swarm implements AutoCloseable {
    /** The receive buffer of a member that does not read, so that little of what it is sent hides in the kernel. */
    private static final int RECEIVE_BUFFER_BYTES = 4 << 10;

    private static final int SELECT_MS = 20;

    private final Selector selector;
    private final List<SocketChannel> members = new ArrayList<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final boolean reads;
    private final ByteBuffer drained = ByteBuffer.allocate(16 << 10);
    private final Thread thread;
    private volatile boolean over;

    private Swarm(String source, InetSocketAddress address, int size, byte[] octets, boolean reads) {
        this.reads = reads;
        try {
            selector = Selector.open();
            for (int i = 0; i < size; i++) {
                SocketChannel member = SocketChannel.open();
                members.add(member);
                member.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
                if (!source.equals(RawClient.LOOPBACK)) {
                    member.bind(new InetSocketAddress(source, 0));
                }
                member.configureBlocking(false);
                boolean connected = member.connect(address);
                member.register(
                        selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, ByteBuffer.wrap(octets));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = new Thread(this::run, "swarm");
        thread.setDaemon(true);
        thread.start();
    }

    /** From an address of this machine; sends {@code octets} on each of {@code size} connections, and reads nothing. */
    public static Swarm from(String source, InetSocketAddress address, int size, byte[] octets) {
        return new Swarm(source, address, size, octets, false);
    }

    public static Swarm of(InetSocketAddress address, int size, byte[] octets) {
        return from("127.0.0.1", address, size, octets);
    }

    /** The same, where each reads all that comes, so that it sees at once that the peer has ended the connection. */
    public static Swarm reading(InetSocketAddress address, int size, byte[] octets) {
        return new Swarm("127.0.0.1", address, size, octets, true);
    }

    /** Connections that have sent all of it, or that the peer has ended before. */
    public int settled() {
        return sent.get() + ended.get();
    }

    /** Connections that the peer has ended, as far as sending and reading tell. */
    public int ended() {
        return ended.get();
    }

    public int size() {
        return members.size();
    }

    /** Waits until each connection has sent all of it or is ended. */
    public Swarm awaitSettled() {
        Await.until("all of the swarm has sent or is ended", () -> settled() >= size());
        return this;
    }

    private void run() {
        try {
            while (!over) {
                selector.select(SELECT_MS);
                for (SelectionKey key : selector.selectedKeys()) {
                    turn(key);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void turn(SelectionKey key) {
        SocketChannel member = (SocketChannel) key.channel();
        @Nullable ByteBuffer left = (ByteBuffer) key.attachment();
        try {
            if (key.isConnectable()) {
                member.finishConnect();
                key.interestOps(SelectionKey.OP_WRITE);
            } else if (key.isWritable() && left != null) {
                member.write(left);
                if (!left.hasRemaining()) {
                    sent.incrementAndGet();
                    key.attach(null);
                    key.interestOps(reads ? SelectionKey.OP_READ : 0);
                }
            } else if (key.isReadable() && member.read(drained.clear()) < 0) {
                throw new IOException("ended by the peer");
            }
        } catch (IOException e) {
            if (key.attachment() == null) {
                sent.decrementAndGet();
            }
            ended.incrementAndGet();
            key.cancel();
        }
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join(Await.TIMEOUT_MS);
            for (SocketChannel member : members) {
                member.close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
