package io.remora.engine;

import java.util.concurrent.TimeUnit;

/**
 * How many requests may be sent again: a fifth of those of the last ten seconds, and ten a second, so that retries cannot
 * multiply the load of a cluster that fails, and a cluster with little traffic has some.
 *
 * <p>Not thread safe. Bounds: ten slots of a second each; in the first seconds there are ten retries for each that has begun.
 */
final class RetryBudget {
    private static final int SLOTS = 10;
    private static final long SLOT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int REQUESTS_PER_RETRY = 5;
    private static final int RETRIES_PER_SLOT = 10;

    private final long startedNs;
    private final int[] requests = new int[SLOTS];
    private final int[] retries = new int[SLOTS];
    /** The second that is going on, since the start. */
    private long current;

    private int allRequests;
    private int allRetries;

    RetryBudget(long nowNs) {
        startedNs = nowNs;
    }

    /** A request came that may be sent again if it fails. */
    void request(long nowNs) {
        requests[slot(nowNs)]++;
        allRequests++;
    }

    /** Takes one retry out, if there is one. */
    boolean take(long nowNs) {
        int slot = slot(nowNs);
        long seconds = Math.min(SLOTS, current + 1);
        boolean left = allRetries < allRequests / REQUESTS_PER_RETRY + seconds * RETRIES_PER_SLOT;
        if (left) {
            retries[slot]++;
            allRetries++;
        }
        return left;
    }

    // the present one, with those emptied that are older than the window; a clock of another loop may lag a little
    private int slot(long nowNs) {
        long slot = Math.max(current, (nowNs - startedNs) / SLOT_NS);
        long stale = Math.min(SLOTS, slot - current);
        for (long next = 1; next <= stale; next++) {
            int at = (int) ((current + next) % SLOTS);
            allRequests -= requests[at];
            allRetries -= retries[at];
            requests[at] = 0;
            retries[at] = 0;
        }
        current = slot;
        return (int) (slot % SLOTS);
    }
}
