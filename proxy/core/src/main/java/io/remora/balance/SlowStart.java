package io.remora.balance;

/**
 * The share of its load that a new node gets: a tenth at first, and all of it at the window's end. A process that has
 * just started has its caches to fill and its code to compile. Immutable.
 */
public final class SlowStart {
    private static final double LEAST = 0.1;

    private final long windowNs;

    public SlowStart(long windowNs) {
        this.windowNs = windowNs;
    }

    /** Returns the node's part of its share, above 0, up to 1. */
    double part(BalancerNode node, long nowNs) {
        long ageNs = nowNs - node.joinedNs();
        return ageNs >= windowNs ? 1 : Math.max(LEAST, (double) ageNs / windowNs);
    }
}
