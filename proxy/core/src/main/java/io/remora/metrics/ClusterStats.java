package io.remora.metrics;

import java.util.List;

/**
 * What is counted for one cluster on all event loops: what is counted here is rare, so that the lock is not noticed.
 *
 * <p>Thread safe.
 */
public final class ClusterStats extends Counts<ClusterMetric> {
    private static final ClusterMetric[] TABLE = ClusterMetric.values();
    private static final String[] NONE = {};

    /** How many of those who count here there are. */
    private int users = 1;

    public ClusterStats(String cluster) {
        super(TABLE, new String[] {cluster}, NONE);
    }

    /** Adds it, unless the same cluster is there already; tells which of the two is. */
    static ClusterStats join(List<ClusterStats> all, ClusterStats stats) {
        for (ClusterStats known : all) {
            if (known.sharesSeriesWith(stats)) {
                known.joined();
                return known;
            }
        }
        all.add(stats);
        return stats;
    }

    private synchronized void joined() {
        users++;
    }

    /** One of those who count here has ended; tells whether it was the last. */
    synchronized boolean leave() {
        return --users == 0;
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
