package io.remora.metrics;

/**
 * The counts of one template, on all threads. Hosts come and go so rarely that the lock is not noticed.
 *
 * <p>Thread safe.
 */
public final class HostStats extends SharedCounts<HostMetric> {
    static final String TABLE_NAME = "hosts";
    public static final String CREATED = "created";
    public static final String FORGOTTEN = "forgotten";
    public static final String EVICTED = "evicted";
    public static final String REFUSED = "refused";
    public static final String FAILED = "failed";

    private static final HostMetric[] TABLE = HostMetric.values();
    private static final String[] NONE = {};

    final String template;
    /** The prefix of its clusters' names. */
    final String prefix;

    public HostStats(String template, String prefix) {
        super(TABLE, new String[] {template}, NONE);
        this.template = template;
        this.prefix = prefix;
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    public synchronized void max(int hosts) {
        add(HostMetric.MAX, hosts - value(HostMetric.MAX));
    }

    /** Counts an event of a host, by which there are more of them, or fewer. */
    public synchronized void count(String event, int more) {
        increment(HostMetric.EVENTS, event);
        add(HostMetric.HOSTS, more);
    }

    /** Counts so many hosts fewer, as the template is gone. */
    public synchronized void gone(int hosts) {
        add(HostMetric.HOSTS, -hosts);
    }

    long hosts() {
        return value(HostMetric.HOSTS);
    }

    long max() {
        return value(HostMetric.MAX);
    }
}
