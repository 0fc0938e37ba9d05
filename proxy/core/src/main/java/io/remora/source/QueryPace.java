package io.remora.source;

/**
 * How soon a source may ask again: some questions at once, then two a second, so that a server that answers at once for whatever
 * reason is not asked in a circle.
 *
 * <p>Not thread safe.
 */
final class QueryPace {
    private static final long EACH_NS = 500_000_000L;
    private static final long BURST_NS = 5 * EACH_NS;

    /** Up to when questions have been used up. */
    private long usedNs;

    QueryPace(long nowNs) {
        usedNs = nowNs - BURST_NS;
    }

    /** Takes one; tells how long to wait before it is asked. */
    long take(long nowNs) {
        if (nowNs - usedNs > BURST_NS) {
            usedNs = nowNs - BURST_NS;
        }
        usedNs += EACH_NS;
        return Math.max(0, usedNs - nowNs);
    }
}
