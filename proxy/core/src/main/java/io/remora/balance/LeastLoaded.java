package io.remora.balance;

import org.jspecify.annotations.Nullable;

/**
 * Picks of two random nodes the one with fewer attempts under way for its weight, its recent failures among them.
 *
 * <p>Owner: one event loop. Cost: O(1), O(log n) where weights differ.
 */
public final class LeastLoaded<N extends BalancerNode> extends PowerOfTwo<N> {
    public LeastLoaded(Draw draw, @Nullable SlowStart slowStart) {
        super(draw, slowStart);
    }

    @Override
    public History history() {
        return new RecentFailures();
    }

    @Override
    double cost(int index, N node, long nowNs) {
        return load(node, nowNs) / weight(node, nowNs);
    }

    /** Attempts under way, with those that failed lately. */
    static double load(BalancerNode node, long nowNs) {
        return node.history() instanceof RecentFailures failures ? node.load() + failures.count(nowNs) : node.load();
    }
}
