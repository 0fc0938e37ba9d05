package io.remora.pool;

import io.remora.http.Failure;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.naming.Endpoint;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.ConnectFailure;
import io.remora.transport.Connector;
import io.remora.transport.Link;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop to one endpoint. Hands out streams: of the connection that was used last, so that
 * those beyond the need grow old and are closed, or of a new one.
 *
 * <p>Owner: its event loop. Bounds: connections, busy and idle together, and idle ones, from the cluster's
 * configuration. A client waits only while a connection is being made for it. A client that comes when all are busy is
 * refused at once rather than queued, so that nothing here grows with the load.
 */
public final class EndpointPool {
    private final Endpoint endpoint;
    private final EndpointStats stats;
    private final Connector connector;
    private final Protocol protocol;
    private final int maxConnections;
    private final int maxIdle;
    private final @Nullable Breakers breakers;
    /** The connections with room for a stream; the one used last is the last. */
    private final ArrayDeque<Connection> free = new ArrayDeque<>(2);

    private final Waiters waiters;
    /** The same endpoint's pool for another version; the two share the bounds of connections. */
    private @Nullable EndpointPool other;
    /** The pools of endpoints that share a bound with this one and that nobody has to keep. */
    private @Nullable Others others;

    private int connecting;
    private int open;
    /** The number of free connections that carry nothing. */
    private int idle;
    /** Connections that have not reported yet that they are closed, those that it is closing among them. */
    private int unclosed;

    private int streams;
    private boolean ending;
    private @Nullable Runnable onDrained;

    /**
     * @param breakers of the cluster, null where it has no bounds
     * @param byClient whether no connection is shared among clients
     */
    public EndpointPool(
            Endpoint endpoint,
            EndpointStats stats,
            Connector connector,
            Protocol protocol,
            int maxConnections,
            int maxIdle,
            @Nullable Breakers breakers,
            boolean byClient) {
        this.breakers = breakers;
        this.waiters = new Waiters(breakers, byClient);
        this.endpoint = endpoint;
        this.stats = stats;
        this.connector = connector;
        this.protocol = protocol;
        this.maxConnections = maxConnections;
        this.maxIdle = maxIdle;
    }

    /** Puts the bounds of connections on both pools together. */
    public void share(EndpointPool second) {
        other = second;
        second.other = this;
    }

    /** Sets the pools that make room where a bound on all of them has none. */
    public void others(Others all) {
        others = all;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public EndpointStats stats() {
        return stats;
    }

    /** Streams under way and asked for. */
    public int load() {
        return streams + waiters.size();
    }

    /** Hands a stream to {@code client}, or refuses it: at once or later. */
    public void newStream(StreamClient client) {
        Connection connection = pollFree(waiters.keyOf(client));
        if (connection == null) {
            await(client, false);
        } else {
            hand(client, connection);
            putAside(connection);
        }
    }

    /** Hands out a stream on a connection that has carried none yet, or refuses it: at once or later. */
    public void newStreamOnFresh(StreamClient client) {
        await(client, true);
    }

    private void await(StreamClient client, boolean onFresh) {
        String key = waiters.keyOf(client);
        boolean covered = waiters.size(key) < expected(key);
        if (!covered && isFull() && !makeRoom()) {
            stats.increment(EndpointMetric.POOL_EXHAUSTED);
            client.refused(Failure.POOL_EXHAUSTED);
            return;
        }
        if (breakers != null && !enter(breakers, client, covered)) {
            return;
        }
        waiters.add(client, onFresh, key);
        if (!covered) {
            connect(key);
        }
    }

    /** Streams that those connections of the key will carry that are being made. */
    private int expected(String key) {
        return waiters.connecting(connecting, key) * protocol.expectedStreams();
    }

    /** Removes a client that has gone from the queue. The connection that was begun for it serves the next client. */
    public void left(StreamClient client) {
        waiters.remove(client);
    }

    private boolean enter(Breakers bounds, StreamClient client, boolean covered) {
        if (!bounds.enterPending()) {
            client.refused(Failure.BREAKER_PENDING);
            return false;
        }
        if (!covered && !entersConnection()) {
            bounds.leavePending();
            client.refused(Failure.BREAKER_CONNECTIONS);
            return false;
        }
        return true;
    }

    // one connection fewer counts against the bound
    private void unopened() {
        open--;
        if (breakers != null) {
            breakers.leaveConnection();
        }
    }

    private void connect(String key) {
        open++;
        connecting++;
        waiters.connect(key);
        stats.increment(EndpointMetric.CONNECTS);
        connector.connect(endpoint.socketAddress(), key, new Connector.Waiter() {
            @Override
            public void ready(Link link) {
                connected(link, key);
            }

            @Override
            public void failed(ConnectFailure failure) {
                connectFailed(failure, key);
            }
        });
    }

    private void connected(Link link, String key) {
        connecting--;
        waiters.connected(key);
        unclosed++;
        stats.increment(EndpointMetric.OPENED);
        Connection connection = protocol.begin(link, this);
        connection.client = key;
        serveWaiting(connection, true);
        putAside(connection);
        cover(key);
    }

    // the connection may carry fewer streams than was expected of it
    private void cover(String key) {
        while (waiters.size(key) > expected(key)) {
            if (entersOneMore()) {
                connect(key);
            } else {
                refuseOne(key, Failure.POOL_EXHAUSTED);
            }
        }
    }

    private boolean entersOneMore() {
        return (!isFull() || makeRoom()) && entersConnection();
    }

    // within the bound of the cluster
    private boolean entersConnection() {
        return breakers == null
                || breakers.enterConnection()
                || makeRoom() && breakers.enterConnection()
                || others != null && entersInPlaceOf(others, breakers);
    }

    private static boolean entersInPlaceOf(Others made, Breakers bounds) {
        while (bounds.hasRoom() && made.makeRoom()) {
            if (bounds.enterConnection()) {
                return true;
            }
        }
        return false;
    }

    // the client that has waited longest; one that has gone needs no attempt either, so that no other is refused for it
    private void refuseOne(String key, Failure failure) {
        StreamClient client = waiters.poll(key);
        if (client != null && !client.isGone()) {
            client.refused(failure);
        }
    }

    // a failed attempt fails the client that has waited longest, unless the attempts that are left are enough for all
    private void connectFailed(ConnectFailure failure, String key) {
        connecting--;
        waiters.connected(key);
        unopened();
        stats.increment(EndpointMetric.CONNECT_FAILURES);
        while (waiters.size(key) > expected(key)) {
            refuseOne(key, failureOf(failure));
        }
        endDrain();
    }

    private static Failure failureOf(ConnectFailure failure) {
        return switch (failure) {
            case REFUSED -> Failure.CONNECT_FAILED;
            case TIMEOUT -> Failure.CONNECT_TIMEOUT;
            case OUT_OF_DESCRIPTORS -> Failure.OUT_OF_DESCRIPTORS;
            case HANDSHAKE -> Failure.HANDSHAKE_FAILED;
        };
    }

    private void hand(StreamClient client, Connection connection) {
        // the look at it may have shown that its last stream was over
        leftIdle(connection);
        BackendStream stream = connection.newStream(client);
        connection.streams++;
        streams++;
        stats.increment(EndpointMetric.EXCHANGES);
        if (stream.isReused()) {
            stats.increment(EndpointMetric.REUSED);
        }
        client.ready(stream);
    }

    /**
     * A stream of the connection has ended.
     *
     * @param reusable whether the connection stands between two messages and may carry another
     */
    public void streamEnded(Connection connection, boolean reusable) {
        connection.streams--;
        streams--;
        stats.decrement(EndpointMetric.EXCHANGES);
        if (!reusable) {
            close(connection);
            return;
        }
        serveWaiting(connection, false);
        putAside(connection);
    }

    /** Serves clients that wait, as the connection may carry more streams than before. */
    public void roomGrew(Connection connection) {
        serveWaiting(connection, false);
        putAside(connection);
    }

    /** Takes out a connection that has closed. */
    public void closed(Connection connection) {
        leave(connection);
        unclosed--;
        stats.increment(EndpointMetric.CLOSED);
        takeFromFree(connection);
        endDrain();
    }

    // as many waiting clients as it has room for
    private void serveWaiting(Connection connection, boolean fresh) {
        // a connection that has just been made needs no look at what may have come on it
        while (!waiters.isEmpty() && hasRoom(connection) && (fresh || connection.isFit())) {
            StreamClient client = waiters.pollFor(fresh, connection.client);
            if (client == null) {
                return;
            }
            hand(client, connection);
        }
    }

    private static boolean hasRoom(Connection connection) {
        return !connection.left && connection.streams < connection.maxStreams();
    }

    // among the free ones while it has room, closed where there are enough of them
    private void putAside(Connection connection) {
        if (connection.left) {
            return;
        }
        boolean room = hasRoom(connection);
        if (connection.streams == 0 && (ending || !room || !connection.free && !hasIdleRoom())) {
            takeFromFree(connection);
            close(connection);
            return;
        }
        if (room && !connection.free) {
            free.addLast(connection);
            connection.free = true;
        }
        if (connection.streams == 0 && !connection.idle) {
            connection.idle = true;
            idle++;
            stats.increment(EndpointMetric.IDLE);
            connection.onIdle();
        }
    }

    // what has been used last is kept rather than what rests
    private boolean hasIdleRoom() {
        EndpointPool second = other;
        int kept = free.size() + (second == null ? 0 : second.idle);
        return kept < maxIdle
                || second != null && second.closeOneFree()
                // those of clients that have gone serve nobody else
                || maxIdle > 0 && waiters.isByClient() && closeOneFree();
    }

    private @Nullable Connection pollFree(String key) {
        Connection connection = pollFreeOf(key);
        while (connection != null) {
            leftFree(connection);
            if (hasRoom(connection) && connection.isFit()) {
                return connection;
            }
            if (connection.streams == 0) {
                close(connection);
            }
            connection = pollFreeOf(key);
        }
        return null;
    }

    private @Nullable Connection pollFreeOf(String key) {
        if (!waiters.isByClient()) {
            return free.pollLast();
        }
        for (Iterator<Connection> each = free.descendingIterator(); each.hasNext(); ) {
            Connection connection = each.next();
            if (connection.client.equals(key)) {
                each.remove();
                return connection;
            }
        }
        return null;
    }

    private boolean isFull() {
        return open + (other == null ? 0 : other.open) >= maxConnections;
    }

    // another connection was asked for while idle ones, perhaps stale, fill the pool
    private boolean makeRoom() {
        return closeOneFree() || other != null && other.closeOneFree();
    }

    private boolean closeOneFree() {
        for (Connection eldest : free) {
            if (eldest.streams == 0) {
                takeFromFree(eldest);
                close(eldest);
                return true;
            }
        }
        return false;
    }

    private void takeFromFree(Connection connection) {
        if (connection.free) {
            free.remove(connection);
            leftFree(connection);
        }
    }

    private void leftFree(Connection connection) {
        connection.free = false;
        leftIdle(connection);
    }

    private void leftIdle(Connection connection) {
        if (connection.idle) {
            connection.idle = false;
            idle--;
            stats.decrement(EndpointMetric.IDLE);
        }
    }

    private void close(Connection connection) {
        leave(connection);
        connection.close();
    }

    // the news that a connection is closed comes in a later turn, and its place may be needed in this one
    private void leave(Connection connection) {
        if (!connection.left) {
            connection.left = true;
            unopened();
        }
    }

    // ---- the end

    /** The endpoint has left its cluster: idle connections close, busy ones once they are idle. */
    public void drain(Runnable whenDrained) {
        onDrained = whenDrained;
        close();
        endDrain();
    }

    /** Idle connections close, and from now on every one that has nothing to carry. */
    public void close() {
        ending = true;
        while (closeOneFree()) {
            // the next
        }
    }

    /** The pools of other endpoints. */
    public interface Others {
        /** Releases one unused pool, and returns whether there was any. */
        boolean makeRoom();
    }

    private void endDrain() {
        Runnable then = onDrained;
        // what is counted after the end is lost
        if (then != null && open == 0 && unclosed == 0 && streams == 0 && waiters.isEmpty()) {
            onDrained = null;
            then.run();
        }
    }
}
