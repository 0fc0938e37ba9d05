package io.remora.engine;

import java.util.concurrent.TimeUnit;

/**
 * How many requests may be sent again: a fifth of those of the last ten seconds, and ten a second, so that retries cannot
 * multiply the load of a cluster that fails, and a cluster with little traffic has some.
 *
 * <p>Not thread safe. Bounds: ten slots of a second each; in the first seconds there are ten retries for each that has begun.
 */
final class RetryBudget {
    private static final long SLOT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int REQUESTS_PER_RETRY = 5;
    private static final int RETRIES_PER_SLOT = 10;

    private final long startedNs;
    /** Requests, and retries. */
    private final SlidingCounts counts = new SlidingCounts(SLOT_NS);

    RetryBudget(long nowNs) {
        startedNs = nowNs;
    }

    /** A request came that may be sent again if it fails. */
    void request(long nowNs) {
        advance(nowNs);
        counts.add(1, 0);
    }

    /** Takes one retry out, if there is one. */
    boolean take(long nowNs) {
        advance(nowNs);
        long slots = Math.min(SlidingCounts.SLOTS, (nowNs - startedNs) / SLOT_NS + 1);
        boolean left = counts.second() < counts.first() / REQUESTS_PER_RETRY + slots * RETRIES_PER_SLOT;
        if (left) {
            counts.add(0, 1);
        }
        return left;
    }

    private void advance(long nowNs) {
        counts.advance(nowNs - startedNs);
    }
}
