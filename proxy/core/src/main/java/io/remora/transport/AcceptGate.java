package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pauses accepting at the connection limit, and while the process is out of file descriptors or of memory.
 *
 * <p>At the limit, further connections wait in the kernel's backlog, so that a client waits a moment instead of being
 * refused. Without a free descriptor the listener's socket stays readable, and the loop would spin on it if the gate did
 * not stop reading.
 *
 * <p>Owner: the listener's loop; the loops of the accepted channels also decrement the count. Order: must sit above the
 * acceptor so that it sees every connection, and every failure to accept, first.
 */
final class AcceptGate extends InboundHandler implements ChannelFutureListener {
    private static final long RETRY_MS = 200;

    private volatile String listener;
    private volatile int limit;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean full;
    private volatile boolean exhausted;
    /** Set while there is no memory for a further connection. */
    private volatile boolean closed;
    /** Set while another process still answers on the socket. */
    private volatile boolean held;

    private final LogThrottle pauses = LogThrottle.ofSource();
    /** Set where the log has the pause, and so its end. */
    private boolean told;

    private volatile Channel server;
    /** Set where accepting has failed since the last retry. */
    private boolean failed;

    @SuppressWarnings("NullAway.Init") // Set before the first connection can be accepted.
    AcceptGate(String listener, int limit) {
        this.listener = listener;
        this.limit = limit;
    }

    /** Applies another configuration; connections beyond a lower limit stay. Any thread. */
    void settle(String name, int connections) {
        listener = name;
        boolean more = connections > limit;
        limit = connections;
        if (more && full && open.get() < connections) {
            full = false;
            resume();
        } else if (open.get() >= connections) {
            pauseAtLimit();
        }
    }

    int open() {
        return open.get();
    }

    /** The number of connections that may still be accepted; 0 or less for none. */
    int room() {
        return closed || held ? 0 : limit - open.get();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        server = context.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object child) {
        if (open.incrementAndGet() >= limit) {
            pauseAtLimit();
        }
        ((Channel) child).closeFuture().addListener(this);
        context.fireChannelRead(child);
    }

    private void pauseAtLimit() {
        full = true;
        server.config().setAutoRead(false);
        // Another loop may have closed a connection just before this, when there was nothing to resume yet.
        if (open.get() < limit) {
            full = false;
            resume();
        }
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
        failed = true;
        server.config().setAutoRead(false);
        if (!exhausted) {
            exhausted = true;
            String tail = pauses.tail(System.nanoTime());
            told = tail != null;
            if (told) {
                String what = ": accepting pauses: " + cause.getMessage() + tail;
                Log.warn(LogComponent.LISTENER, "listener " + listener + what);
            }
            scheduleRetry();
        }
    }

    // Only one retry is scheduled at a time, however often accepting fails meanwhile.
    private void scheduleRetry() {
        server.eventLoop().schedule(this::retry, RETRY_MS, TimeUnit.MILLISECONDS);
    }

    private void retry() {
        if (!server.isOpen()) {
            return;
        }
        if (failed) {
            failed = false;
            resume();
            scheduleRetry();
        } else {
            exhausted = false;
            if (told) {
                Log.info(LogComponent.LISTENER, "listener " + listener + ": accepting again");
            }
        }
    }

    /** Stops accepting, or goes on with it. Any thread. */
    void close(boolean close) {
        if (closed != close) {
            closed = close;
            if (close) {
                server.config().setAutoRead(false);
            } else {
                resume();
            }
        }
    }

    /** Accepts nothing until {@link #release}, even if there is memory. Called before the listener has its loop. */
    void hold(Channel listening) {
        server = listening;
        held = true;
        listening.config().setAutoRead(false);
    }

    /** Begins to accept. Any thread. */
    void release() {
        if (held) {
            held = false;
            resume();
        }
    }

    private void resume() {
        if (server.isOpen() && !full && !closed && !held) {
            server.config().setAutoRead(true);
        }
    }
}
