package io.remora.engine;

import java.util.concurrent.TimeUnit;

/**
 * The budget of retries: a fifth of the requests of the last ten seconds, and ten a second. So retries cannot multiply
 * the load of a cluster that fails, and a cluster with little traffic has some.
 *
 * <p>Not thread safe. Bounds: slots of a quarter of a second; in the first seconds there are ten retries for each that
 * has begun. A slot of which a part is ten seconds old counts against retries and not for them, so that there are never
 * more of them in the ten seconds before one that is granted.
 */
final class RetryBudget {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int SECONDS = 10;
    private static final int SLOTS_PER_SECOND = 4;
    private static final int REQUESTS_PER_RETRY = 5;
    private static final int RETRIES_PER_SECOND = 10;

    private final long startedNs;
    /** Requests, and retries. */
    private final SlidingCounts counts =
            new SlidingCounts(SECOND_NS / SLOTS_PER_SECOND, SECONDS * SLOTS_PER_SECOND + 1);

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
        long seconds = Math.min(SECONDS, (nowNs - startedNs) / SECOND_NS + 1);
        boolean left = counts.second() < counts.recentFirst() / REQUESTS_PER_RETRY + seconds * RETRIES_PER_SECOND;
        if (left) {
            counts.add(0, 1);
        }
        return left;
    }

    private void advance(long nowNs) {
        counts.advance(nowNs - startedNs);
    }
}
