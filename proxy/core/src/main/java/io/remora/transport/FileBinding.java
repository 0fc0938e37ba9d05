package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.remora.config.Address;
import io.remora.config.SocketConfig;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket that is listened on, with its file, for whoever sets up what it accepts by itself. Loaded only for who has one.
 *
 * <p>Owner: whoever made it; not an event loop, as each step is waited for.
 */
public final class FileBinding {
    private final String path;
    private final SocketConfig config;
    private final Channel channel;
    /** Null where it is not this process's to remove. */
    private volatile @Nullable SocketFile file;
    /** Whether another process answers on it until {@link #begin}, and leaves its file. */
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
     * Binds it and starts accepting.
     *
     * @param acceptor is given what is accepted
     * @param given sockets that are listened on already, of which one may be this; null for none
     * @throws IOException saying what is in the way; nothing is left then
     */
    public static FileBinding bind(
            EventLoopGroup group,
            String name,
            Address address,
            SocketConfig config,
            ChannelHandler acceptor,
            @Nullable GivenSockets given)
            throws IOException {
        ServerSocketChannel open = given == null ? null : given.take(name, address);
        if (given == null || open == null) {
            return bind(group, address.host(), config, acceptor);
        }
        Channel channel = DomainSockets.newServer(open);
        channel.config().setAutoRead(!given.takenOver());
        channel.pipeline().addLast(acceptor);
        Binding.open(group, channel);
        return new FileBinding(address.host(), config, channel, null, given.takenOver());
    }

    private static FileBinding bind(EventLoopGroup group, String path, SocketConfig config, ChannelHandler acceptor)
            throws IOException {
        SocketFile file = SocketFile.at(path);
        Channel channel;
        try {
            channel = DomainSockets.newServer();
            channel.pipeline().addLast(acceptor);
            Binding.bind(group, channel, DomainSockets.address(file.temporary()));
        } catch (IOException | RuntimeException e) {
            file.abandon();
            throw e;
        }
        try {
            file.publish(config);
        } catch (IOException e) {
            channel.close().awaitUninterruptibly();
            throw e;
        }
        return new FileBinding(path, config, channel, file, false);
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

    /** Another process goes on with the socket: its file stays. */
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
