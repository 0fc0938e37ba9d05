package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;

/** Sockets of Unix, by the JDK. Loaded only where one is configured. Thread safe. */
final class DomainSockets {
    private DomainSockets() {}

    /**
     * A socket to listen on.
     *
     * @throws IOException where the process may have no more sockets
     */
    static Channel newServer() throws IOException {
        try {
            return new NioServerDomainSocketChannel();
        } catch (ChannelException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns a server channel over a socket that is bound already. */
    static Channel newServer(ServerSocketChannel given) {
        return new NioServerDomainSocketChannel(given);
    }

    static Channel newClient() {
        return new NioDomainSocketChannel();
    }

    /**
     * Returns the channel's reaction to the peer's end. Netty's channel would close, where one of TCP reports the end
     * and goes on writing. The event comes in a turn of its own, after the end of the read.
     */
    static Runnable atEnd(Channel channel) {
        return new Runnable() {
            @Override
            public void run() {
                if (channel instanceof DuplexChannel duplex) {
                    // nor is it read any more
                    duplex.shutdownInput();
                }
                channel.eventLoop().execute(new Runnable() {
                    @Override
                    public void run() {
                        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
                    }
                });
            }
        };
    }

    /**
     * Closes a socket to listen on, and leaves its file. Netty removes the file of a socket that it closes, even if
     * another process listens there as well, but for one whose address it cannot learn. Returns when it is closed,
     * unless the loop itself closes it, or after {@link Binding#CLOSE_MS} where the loop is held up, which then closes
     * it when it turns again.
     */
    static void close(Channel channel) {
        Runnable closing = new Runnable() {
            @Override
            public void run() {
                try {
                    Descriptors.below(channel).close();
                } catch (IOException e) {
                    // Netty closes it once more
                }
            }
        };
        if (channel.eventLoop().inEventLoop()) {
            closing.run();
            channel.close();
        } else if (!channel.eventLoop().isShuttingDown()) {
            channel.eventLoop().execute(closing);
            // in the same order, so that one wait is enough
            channel.close().awaitUninterruptibly(Binding.CLOSE_MS);
        }
    }

    static SocketAddress address(String path) {
        return UnixDomainSocketAddress.of(path);
    }
}
