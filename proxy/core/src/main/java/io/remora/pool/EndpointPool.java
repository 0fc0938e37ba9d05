package io.remora.pool;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ConnectTimeoutException;
import io.remora.http.Failure;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.naming.Endpoint;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop to one endpoint, last in first out, so that those beyond the need grow old and are
 * closed.
 *
 * <p>Owner: its event loop. Bounds: connections, leased and idle together, and idle ones, from the cluster's
 * configuration; who comes when all are leased is refused at once rather than queued, so that nothing here grows with
 * the load.
 */
public final class EndpointPool<C extends Connection> {
    private final Endpoint endpoint;
    private final EndpointStats stats;
    private final Bootstrap bootstrap;
    private final ConnectionFactory<C> factory;
    private final int maxConnections;
    private final int maxIdle;
    private final ArrayDeque<C> idle = new ArrayDeque<>();
    private int open;

    /**
     * @param bootstrap of the pool's own event loop, without a handler
     */
    EndpointPool(
            Endpoint endpoint,
            EndpointStats stats,
            Bootstrap bootstrap,
            ConnectionFactory<C> factory,
            int maxConnections,
            int maxIdle) {
        this.endpoint = endpoint;
        this.stats = stats;
        this.bootstrap = bootstrap;
        this.factory = factory;
        this.maxConnections = maxConnections;
        this.maxIdle = maxIdle;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /** Hands out an idle connection, or a new one. */
    public void lease(Lessee<C> lessee) {
        C connection = pollIdle();
        if (connection == null) {
            leaseFresh(lessee);
        } else {
            hand(lessee, connection);
        }
    }

    /** Hands out a connection that has not served yet. */
    public void leaseFresh(Lessee<C> lessee) {
        if (open >= maxConnections && !closeOneIdle()) {
            stats.increment(EndpointMetric.POOL_EXHAUSTED);
            lessee.refused(Failure.POOL_EXHAUSTED);
            return;
        }
        open++;
        stats.increment(EndpointMetric.CONNECTS);
        ChannelFuture connecting = bootstrap.connect(endpoint.socketAddress());
        if (connecting.isDone()) {
            // without a descriptor there is no channel, and Netty would tell on a thread that is not the loop's
            onConnect(lessee, connecting);
            return;
        }
        connecting.addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture connected) {
                onConnect(lessee, connected);
            }
        });
    }

    /** Takes a connection back that may serve again. */
    public void release(C connection) {
        stats.decrement(EndpointMetric.EXCHANGES);
        if (idle.size() >= maxIdle || !connection.isUsable()) {
            close(connection);
            return;
        }
        idle.addLast(connection);
        stats.increment(EndpointMetric.IDLE);
        connection.onIdle();
    }

    /** Takes a connection back that may not, open or not. */
    public void discard(C connection) {
        stats.decrement(EndpointMetric.EXCHANGES);
        close(connection);
    }

    /** The connection's channel is closed, whoever held it. */
    public void closed(C connection) {
        leave(connection);
        stats.increment(EndpointMetric.CLOSED);
        if (idle.remove(connection)) {
            stats.decrement(EndpointMetric.IDLE);
        }
    }

    private void close(C connection) {
        leave(connection);
        connection.close();
    }

    // the news that a channel is closed comes in a later turn, and its place may be needed in this one
    private void leave(C connection) {
        if (connection.leave()) {
            open--;
        }
    }

    private @Nullable C pollIdle() {
        C connection = idle.pollLast();
        while (connection != null) {
            stats.decrement(EndpointMetric.IDLE);
            if (connection.isUsable() && connection.isSilent()) {
                return connection;
            }
            close(connection);
            connection = idle.pollLast();
        }
        return null;
    }

    // a fresh connection was asked for while idle ones, perhaps stale, fill the pool
    private boolean closeOneIdle() {
        C eldest = idle.pollFirst();
        if (eldest == null) {
            return false;
        }
        stats.decrement(EndpointMetric.IDLE);
        close(eldest);
        return true;
    }

    private void hand(Lessee<C> lessee, C connection) {
        boolean reused = connection.lease();
        if (reused) {
            stats.increment(EndpointMetric.REUSED);
        }
        stats.increment(EndpointMetric.EXCHANGES);
        lessee.leased(connection, reused);
    }

    private void onConnect(Lessee<C> lessee, ChannelFuture connected) {
        if (connected.isSuccess()) {
            stats.increment(EndpointMetric.OPENED);
            Channel channel = connected.channel();
            hand(lessee, factory.create(this, channel));
            return;
        }
        open--;
        stats.increment(EndpointMetric.CONNECT_FAILURES);
        lessee.refused(failureOf(connected.cause()));
    }

    private static Failure failureOf(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return Failure.CONNECT_TIMEOUT;
        }
        for (Throwable at = cause; at != null; at = at.getCause()) {
            String message = at.getMessage();
            // the JDK has no type for EMFILE and ENFILE
            if (message != null && message.contains("open files")) {
                return Failure.OUT_OF_DESCRIPTORS;
            }
        }
        return Failure.CONNECT_FAILED;
    }
}
