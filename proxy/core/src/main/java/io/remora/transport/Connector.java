package io.remora.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.remora.config.model.ClusterConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections ready: connects, then goes through the handshake. Nobody sees one before that.
 *
 * <p>Owner: one event loop. Bounds: the cluster's connect timeout, on the connect and on the handshake after it.
 */
public final class Connector {
    private static final long LOOK_NS = 1_000_000L;

    private final Loop loop;
    private final ByteBufAllocator allocator;
    private final int bufferBytes;
    private final Handshake handshake;
    private final long timeoutNs;
    private final boolean keepAlive;

    public Connector(ClusterConfig config, Loop loop, ByteBufAllocator allocator, Handshake handshake) {
        this.loop = loop;
        this.handshake = handshake;
        this.timeoutNs = config.connectTimeoutNs();
        this.allocator = allocator;
        this.bufferBytes = config.bufferBytes();
        this.keepAlive = config.tcpKeepAlive();
    }

    /** Connects; {@code waiter} receives the result once, at once or later, on the event loop. */
    public void connect(SocketAddress address, Waiter waiter) {
        connect(address, handshake, waiter);
    }

    /** Connects for one client alone, by its address. */
    public void connect(SocketAddress address, String client, Waiter waiter) {
        connect(address, handshake.forClient(client), waiter);
    }

    private void connect(SocketAddress address, Handshake next, Waiter waiter) {
        Channel channel;
        try {
            channel = newChannel(address);
        } catch (ChannelException e) {
            waiter.failed(failureOf(e));
            return;
        }
        ChannelFuture registered = loop.eventLoop().register(channel);
        if (!registered.isSuccess()) {
            channel.unsafe().closeForcibly();
            waiter.failed(failureOf(registered.cause()));
            return;
        }
        new Connecting(channel, next, waiter).begin(address);
    }

    private Channel newChannel(SocketAddress address) {
        if (!(address instanceof InetSocketAddress)) {
            Channel channel = DomainSockets.newClient();
            settle(channel.config());
            channel.config().setRecvByteBufAllocator(new ReadBuffers(bufferBytes, DomainSockets.atEnd(channel)));
            return channel;
        }
        NioSocketChannel channel = new NioSocketChannel();
        SocketChannelConfig config = channel.config();
        settle(config);
        config.setRecvByteBufAllocator(new ReadBuffers(bufferBytes)).setTcpNoDelay(true);
        if (keepAlive) {
            config.setKeepAlive(true);
        }
        int receiveBytes = loop.memory().receiveBytes();
        if (receiveBytes > 0) {
            config.setReceiveBufferSize(receiveBytes);
        }
        return channel;
    }

    private void settle(ChannelConfig config) {
        config.setAllocator(allocator)
                .setWriteBufferWaterMark(new WriteBufferWaterMark(bufferBytes / 2, bufferBytes))
                // a failed write must not take the response with it that the endpoint gave before it stopped reading
                .setAutoClose(false)
                // Connecting has the bound
                .setConnectTimeoutMillis(0);
    }

    private ConnectFailure failureOf(Throwable thrown) {
        ConnectCause cause = ConnectCause.of(thrown);
        loop.connectFailed(cause);
        return cause == ConnectCause.DESCRIPTORS ? ConnectFailure.OUT_OF_DESCRIPTORS : ConnectFailure.REFUSED;
    }

    private ConnectFailure late() {
        loop.connectFailed(ConnectCause.TIMEOUT);
        return ConnectFailure.TIMEOUT;
    }

    /** Caller that waits for a connection; exactly one of the two is called. */
    public interface Waiter {
        void ready(Link link);

        void failed(ConnectFailure failure);
    }

    /** A connect under way, with its bound. */
    private final class Connecting implements ChannelFutureListener, Runnable {
        private final Channel channel;
        private final Handshake next;
        private final Waiter waiter;
        private @Nullable Future<?> bound;
        /** Set once its time is over, but for a look at the kernel's state of it. */
        private boolean due;

        Connecting(Channel channel, Handshake next, Waiter waiter) {
            this.channel = channel;
            this.next = next;
            this.waiter = waiter;
        }

        void begin(SocketAddress address) {
            ChannelFuture connected = channel.connect(address);
            if (!connected.isDone()) {
                bound = loop.after(this, timeoutNs);
            }
            connected.addListener(this);
        }

        /**
         * Ends a connect whose time is over. A loop that was busy for as long does not know yet of a connection that
         * was made meanwhile. Timers run before it looks, and one that is set now runs after that.
         */
        @Override
        public void run() {
            if (due) {
                channel.close();
            } else {
                due = true;
                bound = loop.after(this, LOOK_NS);
            }
        }

        @Override
        public void operationComplete(ChannelFuture connected) {
            if (bound != null) {
                bound.cancel(false);
            }
            if (!connected.isSuccess()) {
                boolean late = due && connected.cause() instanceof ClosedChannelException;
                channel.close();
                waiter.failed(late ? late() : failureOf(connected.cause()));
            } else if (next == Handshake.NONE) {
                waiter.ready(new Link(channel));
            } else {
                new Handshaking(channel, loop, timeoutNs, waiter).begin(next);
            }
        }
    }

    /** A handshake under way, with its bound. */
    private static final class Handshaking implements Handshake.Outcome, Deadline.Expirable {
        private final Channel channel;
        private final Loop loop;
        private final Deadline deadline;
        private final long timeoutNs;
        private final Waiter waiter;
        private boolean over;

        Handshaking(Channel channel, Loop loop, long timeoutNs, Waiter waiter) {
            this.channel = channel;
            this.loop = loop;
            this.deadline = loop.deadlines().add(this);
            this.timeoutNs = timeoutNs;
            this.waiter = waiter;
        }

        void begin(Handshake handshake) {
            deadline.set(timeoutNs);
            try {
                handshake.begin(channel, this);
            } catch (RuntimeException | OutOfMemoryError e) {
                fail(ConnectFailure.HANDSHAKE);
            }
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
                loop.connectFailed(failure == ConnectFailure.TIMEOUT ? ConnectCause.TIMEOUT : ConnectCause.HANDSHAKE);
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
