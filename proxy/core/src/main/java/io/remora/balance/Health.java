package io.remora.balance;

import java.util.List;

/**
 * The share of some nodes' weight that is healthy, as of the last look. A look is O(n), and there is one every tenth of
 * a second at the most.
 *
 * <p>Owner: one event loop.
 */
final class Health {
    private static final long LOOK_AGAIN_NS = 100_000_000L;

    private final List<? extends BalancerNode> nodes;
    private long weight;
    private long healthy;
    private long lookedNs;
    private boolean looked;

    Health(List<? extends BalancerNode> nodes) {
        this.nodes = nodes;
    }

    /** Looks at the nodes if the last look is too long ago, and returns whether it did. */
    boolean look(long nowNs) {
        if (looked && nowNs - lookedNs < LOOK_AGAIN_NS) {
            return false;
        }
        looked = true;
        lookedNs = nowNs;
        weight = 0;
        healthy = 0;
        for (int i = 0; i < nodes.size(); i++) {
            BalancerNode node = nodes.get(i);
            weight += node.weight();
            healthy += node.isHealthy() ? node.weight() : 0;
        }
        return true;
    }

    long healthy() {
        return healthy;
    }

    /** Returns the healthy share, from 0 to 1. */
    double share() {
        return weight == 0 ? 0 : (double) healthy / weight;
    }
}
