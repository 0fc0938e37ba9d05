package io.remora.admin;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ScheduledFuture;
import io.remora.config.model.AdminConfig;
import io.remora.transport.FileBinding;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sets up the connections that the admin or health listener accepts.
 *
 * <p>Owner: the admin thread. Bounds: {@value #MAX_CONNECTIONS} connections; a further one closes the oldest of the address that has
 * most, so that nobody can lock out a probe by holding connections open, or by opening many.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The result of closing does not matter.
final class AdminConnections extends InboundHandler implements ChannelFutureListener {
    private static final int MAX_CONNECTIONS = AdminConfig.MAX_CONNECTIONS;
    /** Pause after a failure to accept: without a descriptor the listener's socket stays readable. */
    private static final long PAUSE_MS = 200;
    /** Buffer of one read from a Unix socket; no request is as long. */
    private static final int READ_BYTES = 4 << 10;

    private final EventLoopGroup group;
    private final Pages pages;
    private final long stepNs;
    private final long maxAgeNs;
    private final Handshake handshake;
    private final long handshakeNs;
    private final ArrayDeque<Channel> open = new ArrayDeque<>(MAX_CONNECTIONS + 1);

    /**
     * @param maxAgeNs of a connection
     * @param handshakeNs that a handshake may take, together with the end of a connection that failed in it
     */
    AdminConnections(
            EventLoopGroup group, Pages pages, long stepNs, long maxAgeNs, Handshake handshake, long handshakeNs) {
        this.group = group;
        this.pages = pages;
        this.stepNs = stepNs;
        this.maxAgeNs = maxAgeNs;
        this.handshake = handshake;
        this.handshakeNs = handshakeNs;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel accepted = (Channel) message;
        try {
            accepted.config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
            if (accepted instanceof SocketChannel tcp) {
                tcp.config().setTcpNoDelay(true).setAllowHalfClosure(true);
            } else {
                FileBinding.settle(accepted, READ_BYTES);
            }
        } catch (ChannelException e) {
            // the client has gone, and its socket takes no setting any more
            accepted.unsafe().closeForcibly();
            return;
        }
        makeRoom(accepted);
        open.add(accepted);
        if (handshake == Handshake.NONE) {
            add(new Link(accepted));
        } else {
            accepted.pipeline().addLast(new Unready(accepted));
        }
        group.register(accepted).addListener(this);
    }

    private void add(Link link) {
        link.channel().pipeline().addLast(new AdminConnection(link, pages, stepNs, maxAgeNs));
    }

    @Override
    public void operationComplete(ChannelFuture registered) {
        if (!registered.isSuccess()) {
            registered.channel().unsafe().closeForcibly();
        }
    }

    private void makeRoom(Channel newcomer) {
        for (Iterator<Channel> all = open.iterator(); open.size() >= MAX_CONNECTIONS && all.hasNext(); ) {
            if (!all.next().isOpen()) {
                all.remove();
            }
        }
        if (open.size() >= MAX_CONNECTIONS) {
            Channel leaving = oldestOfMost(newcomer);
            open.remove(leaving);
            Unready unready = leaving.pipeline().get(Unready.class);
            if (unready != null) {
                unready.cutReason = Handshake.Cut.PLACE;
            }
            leaving.close();
        }
    }

    private Channel oldestOfMost(Channel newcomer) {
        Map<Object, Integer> counts = new HashMap<>();
        counts.put(Link.claimantOf(newcomer), 1);
        for (Channel one : open) {
            Object client = Link.claimantOf(one);
            Integer count = counts.get(client);
            counts.put(client, count == null ? 1 : count + 1);
        }
        Channel oldest = open.element();
        int most = 0;
        for (Channel one : open) {
            int count = counts.getOrDefault(Link.claimantOf(one), 0);
            if (count > most) {
                most = count;
                oldest = one;
            }
        }
        return oldest;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.channel().config().setAutoRead(false);
        context.executor()
                .schedule(
                        new Runnable() {
                            @Override
                            public void run() {
                                context.channel().config().setAutoRead(true);
                            }
                        },
                        PAUSE_MS,
                        TimeUnit.MILLISECONDS);
    }

    /** A connection whose handshake is under way; it makes way for an {@link AdminConnection}. */
    private final class Unready extends InboundHandler implements Handshake.Outcome, Runnable {
        private final Channel channel;
        private @Nullable ScheduledFuture<?> timer;
        private Handshake.Cut cutReason = Handshake.Cut.TIME;

        Unready(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            timer = context.executor().schedule(this, handshakeNs, TimeUnit.NANOSECONDS);
            handshake.begin(channel, this);
        }

        @Override
        public void ready(Link link) {
            cancel();
            channel.pipeline().remove(this);
            if (channel.isOpen()) {
                add(link);
            }
        }

        @Override
        public void failed(Throwable cause) {
            cancel();
            channel.close();
        }

        @Override
        public Handshake.Cut cutReason() {
            return cutReason;
        }

        /** Closes the channel, as its time is over. */
        @Override
        public void run() {
            channel.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            cancel();
            context.fireChannelInactive();
        }

        private void cancel() {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }
}
