package io.remora.metrics;

/**
 * The counts of the source of one cluster's endpoints, on all threads. Answers are so rare that the lock is not
 * noticed.
 *
 * <p>Thread safe.
 */
public final class NamingStats extends SharedCounts<NamingMetric> {
    public static final String TABLE_NAME = "naming";
    public static final String BOUND = "bound";
    public static final String EMPTY = "empty";
    public static final String OVERFLOW = "overflow";
    public static final String GONE = "gone";
    public static final String TIMEOUT = "timeout";
    public static final String SERVED = "served";

    private static final String PENDING = "pending";
    private static final String FAILED = "failed";
    private static final long SECOND_MS = 1_000;
    private static final NamingMetric[] TABLE = NamingMetric.values();
    private static final String[] NONE = {};

    public final String cluster;
    /** The source's name, for a person to read. */
    public final String source;

    private String state = PENDING;
    /** Why there is no answer, or why the last one was refused or is a part; empty where the last one was whole. */
    private String problem = "";

    /**
     * @param kind of source, the value of the label
     */
    public NamingStats(String cluster, String kind, String source) {
        super(TABLE, new String[] {cluster, kind}, NONE);
        this.cluster = cluster;
        this.source = source;
        set(NamingMetric.STATE, PENDING, 1);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    @Override
    boolean continuesAs(Counts<?> other) {
        return sharesSeriesWith(other) && source.equals(((NamingStats) other).source);
    }

    /** The source has given an answer. */
    public void answered(String what, int endpoints, long nowMs) {
        answered(what, endpoints, nowMs, "");
    }

    /**
     * Counts an answer that may be a part.
     *
     * @param missing why the rest is missing; empty where it is whole
     */
    public synchronized void answered(String what, int endpoints, long nowMs, String missing) {
        problem = missing;
        become(what);
        increment(NamingMetric.ANSWERS, what);
        add(NamingMetric.ENDPOINTS, endpoints - value(NamingMetric.ENDPOINTS));
        add(NamingMetric.ANSWERED, nowMs - value(NamingMetric.ANSWERED));
    }

    /** The source gives none. */
    public synchronized void failed(String why) {
        problem = why;
        become(FAILED);
        increment(NamingMetric.ANSWERS, FAILED);
    }

    /** The source has given one that cannot be used. */
    public synchronized void refused(String why) {
        problem = why;
        increment(NamingMetric.ANSWERS, "refused");
    }

    /** The last good answer holds no longer. */
    public synchronized void dropped() {
        increment(NamingMetric.DROPPED);
        add(NamingMetric.ENDPOINTS, -value(NamingMetric.ENDPOINTS));
    }

    private void become(String next) {
        set(NamingMetric.STATE, state, 0);
        set(NamingMetric.STATE, next, 1);
        state = next;
    }

    /** A request waits for the first answer. */
    public synchronized void waits() {
        increment(NamingMetric.WAITING);
    }

    /** Counts so many requests as waiting no longer, or one that was not let in. */
    public synchronized void pendingEnded(int left, String outcome) {
        add(NamingMetric.WAITING, -left);
        increment(NamingMetric.WAITED, outcome);
    }

    public long endpoints() {
        return value(NamingMetric.ENDPOINTS);
    }

    /**
     * Returns the time of the last good answer in seconds since 1970; 0 for never. It is here, so that a sidecar
     * without a resolver loads no table.
     */
    long answeredSeconds() {
        return value(NamingMetric.ANSWERED) / SECOND_MS;
    }

    long waiting() {
        return value(NamingMetric.WAITING);
    }

    /** Returns the state, as {@code /clusters} shows it. */
    public synchronized String state() {
        return state;
    }

    /** Returns why there is no whole answer; empty where the last one was whole. */
    public synchronized String problem() {
        return problem;
    }
}
