package io.remora.pool;

import io.remora.stream.StreamClient;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for a connection of a pool, in the order in which they came. Where the cluster has bounds each holds a place
 * among those that may be pending; the pool takes it before it adds one, and it is given back here.
 *
 * <p>Owner: the pool. Cost: up to 24 bytes until somebody waits. Bounds: the pool's.
 */
final class Waiters {
    /** Of all pools; nothing is ever added. Of a thousand endpoints many never have a request. */
    private static final ArrayDeque<Waiter> NOBODY = new ArrayDeque<>(0);

    private final @Nullable Breakers breakers;
    private ArrayDeque<Waiter> queue = NOBODY;

    /**
     * @param breakers of the cluster, null where it has no bounds
     */
    Waiters(@Nullable Breakers breakers) {
        this.breakers = breakers;
    }

    int size() {
        return queue.size();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /**
     * @param onFresh whether a connection that has carried a stream will not do
     */
    void add(StreamClient client, boolean onFresh) {
        if (queue == NOBODY) {
            queue = new ArrayDeque<>(2);
        }
        queue.addLast(new Waiter(client, onFresh));
    }

    /** It has gone. */
    void remove(StreamClient client) {
        for (Iterator<Waiter> each = queue.iterator(); each.hasNext(); ) {
            if (each.next().client == client) {
                each.remove();
                leavePending();
                return;
            }
        }
    }

    /** Who has waited longest, gone or not; null for nobody. */
    @Nullable
    StreamClient poll() {
        Waiter first = queue.pollFirst();
        if (first == null) {
            return null;
        }
        leavePending();
        return first.client;
    }

    /**
     * Who has waited longest and is still there; null for nobody.
     *
     * @param fresh whether the connection has carried no stream yet
     */
    @Nullable
    StreamClient pollFor(boolean fresh) {
        for (Iterator<Waiter> each = queue.iterator(); each.hasNext(); ) {
            Waiter waiter = each.next();
            if (fresh || !waiter.onFresh) {
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

    private record Waiter(StreamClient client, boolean onFresh) {}
}
