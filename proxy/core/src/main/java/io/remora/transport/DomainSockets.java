package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Sockets of Unix, by the JDK. Loaded only for who has one. Thread safe. */
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

    static Channel newClient() {
        return new NioDomainSocketChannel();
    }

    static SocketAddress address(String path) {
        return UnixDomainSocketAddress.of(path);
    }
}
