package io.remora.metrics;

/** The counts of one cluster whose endpoints speak HTTP/2. Thread safe. */
public final class BackendHttp2Stats extends SharedCounts<BackendHttp2Metric> {
    static final String TABLE_NAME = "backend-http2";
    private static final BackendHttp2Metric[] TABLE = BackendHttp2Metric.values();
    private static final String[] NONE = {};

    final String cluster;
    /** The protocol's name in the configuration. */
    final String protocol;

    public BackendHttp2Stats(String cluster, String protocol) {
        super(TABLE, new String[] {cluster}, NONE);
        this.cluster = cluster;
        this.protocol = protocol;
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    public synchronized void begun() {
        increment(BackendHttp2Metric.STREAMS);
    }

    public synchronized void refused() {
        increment(BackendHttp2Metric.REFUSED);
    }

    /**
     * @param byEndpoint and not by the sidecar
     */
    public synchronized void reset(boolean byEndpoint) {
        increment(BackendHttp2Metric.RESETS, by(byEndpoint));
    }

    /**
     * @param byEndpoint and not by the sidecar
     */
    public synchronized void goneAway(boolean byEndpoint) {
        increment(BackendHttp2Metric.GOAWAYS, by(byEndpoint));
    }

    /** The sidecar has ended a connection. */
    public synchronized void ended(Why why) {
        increment(BackendHttp2Metric.ENDED, why.label);
    }

    private static String by(boolean endpoint) {
        return endpoint ? "endpoint" : "sidecar";
    }

    /** Why the sidecar ends a connection. */
    public enum Why {
        PROTOCOL("protocol"),
        FLOOD("flood"),
        SILENCE("silence");

        private final String label;

        Why(String label) {
            this.label = label;
        }
    }
}
