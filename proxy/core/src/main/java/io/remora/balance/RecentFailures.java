package io.remora.balance;

/**
 * Counts a node's failures, each for about a second. They add to the attempts under way: an endpoint that refuses at
 * once has none of these, and would be the least loaded of all.
 *
 * <p>Owner: one event loop. Cost: an exponential for each failure, and for each look at recent failures.
 */
final class RecentFailures extends History {
    private static final double DECAY_NS = 1e9;
    /** Less than this is none. */
    private static final double LEAST = 0.01;

    private double count;
    private long atNs;

    @Override
    public void learned(boolean failed, long latencyNs, long nowNs) {
        if (failed) {
            count = count(nowNs) + 1;
        }
    }

    double count(long nowNs) {
        if (count == 0) {
            atNs = nowNs;
            return 0;
        }
        if (nowNs > atNs) {
            double left = count * Math.exp((atNs - nowNs) / DECAY_NS);
            count = left < LEAST ? 0 : left;
            atNs = nowNs;
        }
        return count;
    }
}
