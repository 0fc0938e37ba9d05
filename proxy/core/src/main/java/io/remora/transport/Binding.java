package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A socket to listen on, before it is bound: it is made, gets its settings and handlers from its owner, and is then
 * bound.
 *
 * <p>Owner: the thread that makes it; not an event loop, as each step is waited for.
 */
public final class Binding {
    /** Time for which a close waits for a loop, which may be held up. */
    static final long CLOSE_MS = 1_000;

    private final NioServerSocketChannel channel;

    /**
     * Makes the socket.
     *
     * @throws IOException where the process may have no more sockets
     */
    public Binding() throws IOException {
        try {
            channel = new NioServerSocketChannel();
        } catch (ChannelException e) {
            throw new IOException(messageOf(e), e);
        }
    }

    /** Takes a socket that is listened on already; {@link #open} begins to accept on it. */
    public Binding(ServerSocketChannel given) {
        channel = new NioServerSocketChannel(given);
    }

    public NioServerSocketChannel channel() {
        return channel;
    }

    /**
     * Binds the socket and starts accepting.
     *
     * @throws IOException where the address cannot be bound; the socket is closed then
     */
    public void bind(EventLoopGroup group, InetSocketAddress address) throws IOException {
        bind(group, channel, address);
    }

    /**
     * Hands a socket that is listened on already to an event loop.
     *
     * @throws IOException where that cannot be done; the socket is closed then
     */
    public static void open(EventLoopGroup group, Channel channel) throws IOException {
        finish(channel, group.register(channel).awaitUninterruptibly());
    }

    static void bind(EventLoopGroup group, Channel channel, SocketAddress address) throws IOException {
        ChannelFuture done = group.register(channel).awaitUninterruptibly();
        if (done.isSuccess()) {
            done = channel.bind(address).awaitUninterruptibly();
        }
        finish(channel, done);
    }

    private static void finish(Channel channel, ChannelFuture done) throws IOException {
        Throwable cause = done.cause();
        if (cause != null) {
            channel.close();
            throw new IOException(messageOf(cause), cause);
        }
    }

    private static String messageOf(Throwable cause) {
        @Nullable String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }
}
