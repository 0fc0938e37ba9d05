package io.remora.metrics;

import java.util.List;

/**
 * What is counted for one cluster on all event loops: what is counted here is rare, so that the lock is not noticed.
 *
 * <p>Thread safe.
 */
public final class ClusterStats extends SharedCounts<ClusterMetric> {
    private static final ClusterMetric[] TABLE = ClusterMetric.values();
    private static final String[] NONE = {};

    public ClusterStats(String cluster) {
        super(TABLE, new String[] {cluster}, NONE);
    }

    /** As {@link SharedCounts} says. It is declared here so that a sidecar without any does not load this class. */
    static ClusterStats join(List<ClusterStats> all, ClusterStats stats) {
        return SharedCounts.join(all, stats);
    }

    /** Counts by the line's own label. */
    public synchronized void count(ClusterMetric line, String value) {
        increment(line, value);
    }

    /** Changes what holds now. */
    public synchronized void change(ClusterMetric line, long delta) {
        add(line, delta);
    }
}
