package io.remora.source;

/**
 * Pace of a source's questions: some at once, then two a second. It keeps a server that answers at once, for any
 * reason, from being queried in a circle.
 *
 * <p>Not thread safe.
 */
final class QueryPace {
    private static final long EACH_NS = 500_000_000L;
    private static final long BURST_NS = 5 * EACH_NS;

    /** Time up to which questions have been used up. */
    private long usedNs;

    QueryPace(long nowNs) {
        usedNs = nowNs - BURST_NS;
    }

    /** Counts one question; returns how long to wait before it is sent. */
    long take(long nowNs) {
        if (nowNs - usedNs > BURST_NS) {
            usedNs = nowNs - BURST_NS;
        }
        usedNs += EACH_NS;
        return Math.max(0, usedNs - nowNs);
    }
}
