package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks endpoints, above the pools: it sees nodes with their load and health, and connects to none.
 *
 * <p>Owner: one event loop.
 */
public interface Balancer<N extends Node> {
    /** From now on these are there to be picked; those that were there before are the same objects. */
    void update(List<N> nodes);

    /**
     * The node for the next attempt, null where there is none.
     *
     * @param tried that any other one is preferred to, null for none
     */
    @Nullable
    N pick(@Nullable N tried);
}
