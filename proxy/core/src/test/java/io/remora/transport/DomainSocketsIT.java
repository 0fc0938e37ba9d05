package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A link over a Unix socket takes what the memory of a grant, and the end of it, ask of any link. */
final class DomainSocketsIT {
    private static final int GRANT = 4 << 10;

    @TempDir
    Path directory;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void close() {
        group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void takesTheBoundsOfAGrantAndAReset() throws IOException {
        Path file = directory.resolve("a.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(file));
            Channel channel = DomainSockets.newClient();
            group.register(channel).awaitUninterruptibly();
            channel.connect(DomainSockets.address(file.toString())).syncUninterruptibly();
            Link link = new Link(channel);
            group.submit(() -> {
                        link.readNow();
                        link.bound(GRANT, GRANT, GRANT);
                    })
                    .syncUninterruptibly();
            assertThat(channel.config().getWriteBufferHighWaterMark()).isEqualTo(GRANT);
            assertThat(channel.config().getOption(ChannelOption.SO_SNDBUF)).isBetween(GRANT, 4 * GRANT);
            assertThat(link.peerAddress()).isEmpty();
            try (SocketChannel peer = server.accept()) {
                group.submit(link::closeByReset).syncUninterruptibly();
                assertThat(isOver(peer)).isTrue();
            }
        }
    }

    private static boolean isOver(SocketChannel peer) throws IOException {
        try {
            return peer.read(ByteBuffer.allocate(1)) < 0;
        } catch (SocketException reset) {
            return true;
        }
    }
}
