package io.remora.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * One more channel on a sidecar's first event loop, which keeps the loop busy whenever it reads: whoever became
 * readable behind it in the same select waits for its turn.
 */
final class SlowTurn implements AutoCloseable {
    private final Channel channel;
    private final Socket peer;

    private SlowTurn(Channel channel, Socket peer) {
        this.channel = channel;
        this.peer = peer;
    }

    static SlowTurn on(Sidecar sidecar, int busyMs) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel channel = new Bootstrap()
                    .group((EventLoop) sidecar.loops().get(0))
                    .channel(NioSocketChannel.class)
                    .handler(new Busy(busyMs))
                    .connect(server.getLocalSocketAddress())
                    .syncUninterruptibly()
                    .channel();
            return new SlowTurn(channel, server.accept());
        }
    }

    /** From now on it is readable. */
    void readable() throws IOException {
        peer.getOutputStream().write(1);
    }

    @Override
    public void close() throws IOException {
        peer.close();
        channel.close().syncUninterruptibly();
    }

    private static final class Busy extends ChannelInboundHandlerAdapter {
        private final int busyMs;

        Busy(int busyMs) {
            this.busyMs = busyMs;
        }

        @Override
        public void channelRead(ChannelHandlerContext at, Object message) {
            ReferenceCountUtil.release(message);
            Stand.pause(busyMs);
        }
    }
}
