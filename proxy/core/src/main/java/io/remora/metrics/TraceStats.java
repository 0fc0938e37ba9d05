package io.remora.metrics;

/**
 * The counts of spans on all event loops, updated once a delivery.
 *
 * <p>Thread safe.
 */
public final class TraceStats extends SharedCounts<TraceMetric> {
    static final String TABLE_NAME = "traces";
    /** The collector has taken it. */
    public static final String EXPORTED = "exported";

    /** The collector could not be reached, has not taken it, or has rejected it. */
    public static final String FAILED = "failed";

    /** The queue was full. */
    public static final String DROPPED = "dropped";

    private static final TraceMetric[] TABLE = TraceMetric.values();
    private static final String[] NONE = {};

    public TraceStats() {
        super(TABLE, NONE, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    public synchronized void count(String result, int spans) {
        add(TraceMetric.SPANS, result, spans);
    }

    /** Counts so many bytes more that are held for encoded spans, or fewer. */
    public synchronized void holds(int moreBytes) {
        add(TraceMetric.HELD, moreBytes);
    }

    /** Here, so that a sidecar without any loads no table. */
    long heldBytes() {
        return value(TraceMetric.HELD);
    }
}
