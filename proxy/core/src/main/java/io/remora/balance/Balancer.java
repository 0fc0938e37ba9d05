package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks endpoints, above the pools: it sees nodes with their load and health, and connects to none.
 *
 * <p>Owner: one event loop. Cost: a pick allocates nothing, and takes O(1) or O(log n) as long as a good part of the nodes
 * is healthy. Time is handed in, in nanoseconds of one monotonic clock.
 */
public interface Balancer<N extends BalancerNode> {
    /**
     * Does a part of the next {@link #update}, so that a loop can serve others between the parts. Until the update,
     * picks use the nodes from before it.
     *
     * @param nodes the same object each time, and in the update that follows
     * @return whether nothing is left to do before the update
     */
    default boolean prepare(List<N> nodes) {
        return true;
    }

    /** Makes these nodes the ones to pick from; those that were there before are the same objects. */
    void update(List<N> nodes);

    /**
     * Returns the node for the next attempt, null where there is none.
     *
     * @param hash of the part of a request that decides where it goes; only balancers that hash use it
     * @param tried that any other one is preferred to, null for none
     */
    @Nullable
    N pick(long hash, long nowNs, @Nullable N tried);

    /** Returns the history that a node keeps for this balancer and hands out by {@link BalancerNode#history}; null for nothing. */
    default @Nullable History history() {
        return null;
    }
}
