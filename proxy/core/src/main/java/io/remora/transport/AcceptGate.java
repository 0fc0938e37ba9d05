package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.remora.log.Log;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Holds accepting back at the connection limit, and while the process has no descriptor left.
 *
 * <p>At the limit the kernel's backlog keeps who comes next, so that a client waits a moment instead of being refused. Out of
 * descriptors the listener stays readable, and only not asking keeps the loop from spinning on it.
 *
 * <p>Owner: the listener's loop; the count is also decremented by the loops of the accepted channels. Order: must sit above the
 * acceptor so that it sees every connection and every failure to accept first.
 */
final class AcceptGate extends ChannelInboundHandlerAdapter implements ChannelFutureListener {
    private static final long RETRY_MS = 200;

    private final String listener;
    private final int limit;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean full;
    private volatile boolean exhausted;
    private volatile Channel server;

    @SuppressWarnings("NullAway.Init") // set before the first connection can be accepted
    AcceptGate(String listener, int limit) {
        this.listener = listener;
        this.limit = limit;
    }

    int open() {
        return open.get();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        server = context.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object child) {
        if (exhausted) {
            exhausted = false;
            Log.info("listener " + listener + ": accepting again");
        }
        if (open.incrementAndGet() >= limit) {
            full = true;
            server.config().setAutoRead(false);
        }
        ((Channel) child).closeFuture().addListener(this);
        context.fireChannelRead(child);
    }

    @Override
    public void operationComplete(ChannelFuture closed) {
        if (open.decrementAndGet() < limit && (full || exhausted)) {
            full = false;
            resume();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!exhausted) {
            exhausted = true;
            Log.warn("listener " + listener + ": accepting pauses: " + cause.getMessage());
        }
        server.config().setAutoRead(false);
        server.eventLoop().schedule(this::resume, RETRY_MS, TimeUnit.MILLISECONDS);
    }

    private void resume() {
        if (server.isOpen() && !full) {
            server.config().setAutoRead(true);
        }
    }
}
