package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.Future;
import io.remora.memory.Plans;
import io.remora.metrics.Stats;
import io.remora.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** An event loop closes all of its channels when it ends, also during a task. */
final class LoopEndTest {
    private final Loops loops = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));

    /** Notes that it was removed, as it would release what it holds. */
    private static final class Holder extends ChannelInboundHandlerAdapter {
        final CountDownLatch released = new CountDownLatch(1);

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            released.countDown();
        }
    }

    private NioSocketChannel connect(ServerSocket server, Holder holder) {
        NioSocketChannel channel = new NioSocketChannel();
        loops.group().register(channel).syncUninterruptibly();
        channel.pipeline().addLast(holder);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()))
                .syncUninterruptibly();
        return channel;
    }

    /** Netty's own way to end a loop fails here: it has looked at its state before the task. */
    @Test
    void channelsAreClosedWhereTheEndComesDuringATask() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Holder holder = new Holder();
            NioSocketChannel channel = connect(server, holder);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            loops.all().get(0).eventLoop().execute(() -> {
                begun.countDown();
                Await.open(goOn);
            });
            Await.open(begun);
            Future<?> ended = loops.shutdown();
            goOn.countDown();
            assertClosed(server, holder, channel, ended);
        }
    }

    @RepeatedTest(20)
    void channelsAreClosedWheneverTheEndComes() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Holder holder = new Holder();
            NioSocketChannel channel = connect(server, holder);
            assertClosed(server, holder, channel, loops.shutdown());
        }
    }

    /** Opens another channel on its loop when it closes, as a retry does. */
    @Test
    void channelsThatAreOpenedMeanwhileAreClosed() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Holder second = new Holder();
            NioSocketChannel later = new NioSocketChannel();
            NioSocketChannel channel = connect(server, new Holder());
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelInactive(ChannelHandlerContext context) {
                    loops.all().get(0).eventLoop().register(later);
                    later.pipeline().addLast(second);
                }
            });
            Future<?> ended = loops.shutdown();
            assertThat(ended.awaitUninterruptibly(Await.TIMEOUT_MS)).isTrue();
            assertThat(later.isRegistered()).isFalse();
            assertThat(later.isOpen()).isFalse();
            assertThat(second.released.getCount()).as("its handler is removed").isZero();
        }
    }

    private static void assertClosed(ServerSocket server, Holder holder, NioSocketChannel channel, Future<?> ended)
            throws IOException {
        assertThat(ended.awaitUninterruptibly(Await.TIMEOUT_MS)).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThat(holder.released.getCount()).as("its handler is removed").isZero();
        try (Socket peer = server.accept()) {
            peer.setSoTimeout(Await.TIMEOUT_MS);
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void endsOnlyOnce() {
        assertThat(loops.shutdown().awaitUninterruptibly(Await.TIMEOUT_MS)).isTrue();
        assertThat(loops.shutdown().isSuccess()).isTrue();
    }
}
