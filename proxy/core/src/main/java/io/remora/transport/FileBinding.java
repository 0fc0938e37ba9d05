package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.remora.config.model.Address;
import io.remora.config.model.SocketConfig;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket to listen on, with its file: it is made, gets its settings and handlers from its owner, and is then
 * bound. Loaded only where one is configured.
 *
 * <p>Owner: the thread that made it; not an event loop, as each step is waited for.
 */
public final class FileBinding {
    private final String path;
    private final SocketConfig config;
    private final Channel channel;
    /** Null where it is not this process's to remove. */
    private volatile @Nullable SocketFile file;
    /** Set if another process answers on the socket until {@link #begin}, and leaves its file. */
    private final boolean takenOver;

    private FileBinding(
            String path, SocketConfig config, Channel channel, @Nullable SocketFile file, boolean takenOver) {
        this.path = path;
        this.config = config;
        this.channel = channel;
        this.file = file;
        this.takenOver = takenOver;
    }

    /**
     * Makes the socket.
     *
     * @param given sockets that are listened on already, of which one may be this; null for none
     * @throws IOException saying what is in the way; nothing is left then
     */
    public static FileBinding of(String name, Address address, SocketConfig config, @Nullable GivenSockets given)
            throws IOException {
        String path = address.host();
        ServerSocketChannel open = given == null ? null : given.take(name, address);
        if (given != null && open != null) {
            return new FileBinding(path, config, DomainSockets.newServer(open), null, given.takenOver());
        }
        SocketFile file = SocketFile.at(path);
        try {
            return new FileBinding(path, config, DomainSockets.newServer(), file, false);
        } catch (IOException | RuntimeException e) {
            file.abandon();
            throw e;
        }
    }

    public Channel channel() {
        return channel;
    }

    /** Tells if another process answers on the socket until now, so that nothing is accepted before {@link #begin}. */
    boolean isTakenOver() {
        return takenOver;
    }

    /**
     * Binds it if it is not bound yet, and starts accepting.
     *
     * @throws IOException saying what is in the way; nothing is left then
     */
    public void bind(EventLoopGroup group) throws IOException {
        SocketFile own = file;
        if (own == null) {
            channel.config().setAutoRead(!takenOver);
            Binding.open(group, channel);
            return;
        }
        try {
            Binding.bind(group, channel, DomainSockets.address(own.temporary()));
        } catch (IOException | RuntimeException e) {
            own.abandon();
            throw e;
        }
        try {
            own.publish(config);
        } catch (IOException e) {
            channel.close().awaitUninterruptibly();
            throw e;
        }
    }

    /** Has an accepted channel tell of its peer's end as one of TCP does, and go on writing. */
    public static void settle(Channel accepted, int readBytes) {
        accepted.config().setRecvByteBufAllocator(new ReadBuffers(readBytes, DomainSockets.atEnd(accepted)));
        Link.allowHalfClosure(accepted);
    }

    /** Begins to accept on a socket that another process has answered on until now. */
    public void begin() {
        channel.config().setAutoRead(true);
    }

    /** The file that another process has left is as configured, and goes with this one from now on. */
    public void adopt() throws IOException {
        if (takenOver && file == null) {
            file = SocketFile.adopt(path, config);
        }
    }

    public SelectableChannel socket() {
        return Descriptors.below(channel);
    }

    /** Leaves the file in place, as another process goes on with the socket. */
    public void handOver() {
        file = null;
    }

    /** Accepts nobody any more, and removes the file, unless another one has taken its place. Any thread, repeatedly. */
    public void close() {
        SocketFile own = file;
        if (own != null) {
            own.remove();
        }
        DomainSockets.close(channel);
    }
}
