package io.remora.pool;

import io.remora.stream.StreamClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The clients that wait for a connection of a pool, in the order in which they came. Where the cluster has bounds, each
 * holds a place among the requests that may be pending. The pool takes the place before it adds a client, and this
 * queue returns it.
 *
 * <p>Owner: the pool. Cost: up to 24 bytes until a client waits. Bounds: the pool's.
 */
final class Waiters {
    /**
     * An empty queue, shared by all pools; nothing is ever added. Of a thousand endpoints many never have a request.
     */
    private static final ArrayDeque<Waiter> NOBODY = new ArrayDeque<>(0);

    private final @Nullable Breakers breakers;
    /** The keys of the connections that are being made, where connections are not shared among clients. */
    private final @Nullable List<String> making;

    private ArrayDeque<Waiter> queue = NOBODY;

    /**
     * @param breakers of the cluster, null where it has no bounds
     * @param byClient whether connections are not shared among clients
     */
    Waiters(@Nullable Breakers breakers, boolean byClient) {
        this.breakers = breakers;
        this.making = byClient ? new ArrayList<>(2) : null;
    }

    int size() {
        return queue.size();
    }

    boolean isByClient() {
        return making != null;
    }

    /**
     * Returns the key of the connections that a client may use: its address, or the same key for all clients where
     * connections are shared.
     */
    String keyOf(StreamClient client) {
        return making == null ? "" : client.attributes().clientAddress();
    }

    /** A connection of that key is being made. */
    void connect(String key) {
        if (making != null) {
            making.add(key);
        }
    }

    /** Notes that such a connection is made, or has failed. */
    void connected(String key) {
        if (making != null) {
            making.remove(key);
        }
    }

    /**
     * Returns how many connections of that key are being made.
     *
     * @param all of any key
     */
    int connecting(int all, String key) {
        return making == null ? all : Collections.frequency(making, key);
    }

    /** Returns how many clients wait for a connection of that key. */
    int size(String key) {
        if (making == null) {
            return queue.size();
        }
        int count = 0;
        for (Waiter waiter : queue) {
            if (waiter.key.equals(key)) {
                count++;
            }
        }
        return count;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /**
     * @param onFresh whether a connection that has carried a stream will not do
     * @param key of the connections that will do
     */
    void add(StreamClient client, boolean onFresh, String key) {
        if (queue == NOBODY) {
            queue = new ArrayDeque<>(2);
        }
        queue.addLast(new Waiter(client, onFresh, key));
    }

    /** Removes a client that has gone. */
    void remove(StreamClient client) {
        for (Iterator<Waiter> each = queue.iterator(); each.hasNext(); ) {
            if (each.next().client == client) {
                each.remove();
                leavePending();
                return;
            }
        }
    }

    /** Removes and returns the client that has waited longest, gone or not; null for none. */
    @Nullable
    StreamClient poll(String key) {
        for (Iterator<Waiter> each = queue.iterator(); each.hasNext(); ) {
            Waiter waiter = each.next();
            if (waiter.key.equals(key)) {
                each.remove();
                leavePending();
                return waiter.client;
            }
        }
        return null;
    }

    /**
     * Removes and returns the client that has waited longest and is still there; null for none.
     *
     * @param fresh whether the connection has carried no stream yet
     */
    @Nullable
    StreamClient pollFor(boolean fresh, String key) {
        for (Iterator<Waiter> each = queue.iterator(); each.hasNext(); ) {
            Waiter waiter = each.next();
            if ((fresh || !waiter.onFresh) && waiter.key.equals(key)) {
                each.remove();
                leavePending();
                if (!waiter.client.isGone()) {
                    return waiter.client;
                }
            }
        }
        return null;
    }

    private void leavePending() {
        if (breakers != null) {
            breakers.leavePending();
        }
    }

    private record Waiter(StreamClient client, boolean onFresh, String key) {}
}
