package io.remora.metrics;

/**
 * The counts of one cluster on all event loops. They change so rarely that the lock is not noticed.
 *
 * <p>Thread safe.
 */
public final class ClusterStats extends SharedCounts<ClusterMetric> {
    static final String TABLE_NAME = "clusters";
    private static final ClusterMetric[] TABLE = ClusterMetric.values();
    private static final String[] NONE = {};

    public ClusterStats(String cluster) {
        super(TABLE, new String[] {cluster}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Counts by the line's own label. */
    public synchronized void count(ClusterMetric line, String value) {
        increment(line, value);
    }

    /** Changes a current number. */
    public synchronized void change(ClusterMetric line, long delta) {
        add(line, delta);
    }
}
