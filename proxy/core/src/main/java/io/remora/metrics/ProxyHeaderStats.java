package io.remora.metrics;

/** The counts of one listener that reads the PROXY protocol. Thread safe. */
public final class ProxyHeaderStats extends SharedCounts<ProxyHeaderMetric> {
    static final String TABLE_NAME = "proxy-headers";
    private static final ProxyHeaderMetric[] TABLE = ProxyHeaderMetric.values();
    private static final String[] NONE = {};

    public ProxyHeaderStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /**
     * Counts a whole header.
     *
     * @param told whether it names the connection's client, and does not say that the connection is the proxy's own
     */
    public synchronized void taken(boolean told) {
        increment(ProxyHeaderMetric.HEADERS, told ? "taken" : "own");
    }

    /** There was none. */
    public synchronized void refused() {
        increment(ProxyHeaderMetric.HEADERS, "refused");
    }
}
