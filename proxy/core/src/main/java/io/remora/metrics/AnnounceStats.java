package io.remora.metrics;

/** The counts of one listener that is announced. Thread safe. */
public final class AnnounceStats extends SharedCounts<AnnounceMetric> {
    static final String TABLE_NAME = "announcements";
    private static final AnnounceMetric[] TABLE = AnnounceMetric.values();
    private static final String[] NONE = {};

    public AnnounceStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Counts one more set that has the listener. */
    public synchronized void entered() {
        add(AnnounceMetric.ANNOUNCED, 1);
        increment(AnnounceMetric.ANNOUNCEMENTS);
    }

    /** Counts one set fewer that has the listener. */
    public synchronized void left() {
        add(AnnounceMetric.ANNOUNCED, -1);
    }
}
