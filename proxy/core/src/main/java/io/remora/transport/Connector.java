package io.remora.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.NoopAddressResolverGroup;
import io.remora.config.ClusterConfig;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * Makes connections ready: connects, then goes through the handshake. Nobody sees one before that.
 *
 * <p>Owner: one event loop. Bounds: the cluster's connect timeout, on the connect and on the handshake behind it.
 */
public final class Connector {
    private final Loop loop;
    private final Bootstrap bootstrap;
    private final Handshake handshake;
    private final long timeoutNs;

    public Connector(ClusterConfig config, Loop loop, ByteBufAllocator allocator, Handshake handshake) {
        this.loop = loop;
        this.handshake = handshake;
        this.timeoutNs = config.connectTimeoutNs();
        int buffer = config.bufferBytes();
        this.bootstrap = new Bootstrap()
                .group(loop.eventLoop())
                .channelFactory(new ChannelFactory<Channel>() {
                    @Override
                    public Channel newChannel() {
                        return new NioSocketChannel();
                    }
                })
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .handler(new Nothing())
                .option(ChannelOption.ALLOCATOR, allocator)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new ReadBuffers(buffer))
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(buffer / 2, buffer))
                .option(ChannelOption.TCP_NODELAY, true)
                // a failed write must not take the response with it that the endpoint gave before it stopped reading
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
    }

    /** Connects; {@code waiter} hears of it once, at once or later, on the event loop. */
    public void connect(SocketAddress address, Waiter waiter) {
        ChannelFuture connecting = bootstrap.connect(address);
        if (connecting.isDone()) {
            // without a descriptor there is no channel, and Netty would tell on a thread that is not the loop's
            connected(connecting, waiter);
            return;
        }
        connecting.addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture connected) {
                connected(connected, waiter);
            }
        });
    }

    private void connected(ChannelFuture connected, Waiter waiter) {
        if (!connected.isSuccess()) {
            waiter.failed(failureOf(connected.cause()));
        } else if (handshake == Handshake.NONE) {
            waiter.ready(new Link(connected.channel()));
        } else {
            new Handshaking(connected.channel(), loop.deadlines(), timeoutNs, waiter).begin(handshake);
        }
    }

    private static ConnectFailure failureOf(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return ConnectFailure.TIMEOUT;
        }
        for (Throwable at = cause; at != null; at = at.getCause()) {
            String message = at.getMessage();
            // the JDK has no type for EMFILE and ENFILE
            if (message != null && message.contains("open files")) {
                return ConnectFailure.OUT_OF_DESCRIPTORS;
            }
        }
        return ConnectFailure.REFUSED;
    }

    /** Who waits for a connection; exactly one of the two is called. */
    public interface Waiter {
        void ready(Link link);

        void failed(ConnectFailure failure);
    }

    /** What Netty wants to see in a pipeline that is filled when the connection is ready. */
    private static final class Nothing extends ChannelInboundHandlerAdapter {
        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext at) {
            at.pipeline().remove(this);
        }
    }

    /** A handshake under way, with its bound. */
    private static final class Handshaking implements Handshake.Outcome, Deadline.Expirable {
        private final Channel channel;
        private final Deadline deadline;
        private final long timeoutNs;
        private final Waiter waiter;
        private boolean over;

        Handshaking(Channel channel, Deadlines deadlines, long timeoutNs, Waiter waiter) {
            this.channel = channel;
            this.deadline = deadlines.add(this);
            this.timeoutNs = timeoutNs;
            this.waiter = waiter;
        }

        void begin(Handshake handshake) {
            deadline.set(timeoutNs);
            handshake.begin(channel, this);
        }

        @Override
        public void ready(Link link) {
            if (!channel.isOpen()) {
                fail(ConnectFailure.HANDSHAKE);
            } else if (end()) {
                waiter.ready(link);
            }
        }

        @Override
        public void failed(Throwable cause) {
            fail(ConnectFailure.HANDSHAKE);
        }

        @Override
        public void onDeadline() {
            fail(ConnectFailure.TIMEOUT);
        }

        private void fail(ConnectFailure failure) {
            if (end()) {
                channel.close();
                waiter.failed(failure);
            }
        }

        private boolean end() {
            boolean first = !over;
            over = true;
            deadline.cancel();
            return first;
        }
    }
}
