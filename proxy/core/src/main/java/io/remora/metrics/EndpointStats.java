package io.remora.metrics;

/** What one event loop counts for one endpoint of a cluster. */
public final class EndpointStats extends Counts<EndpointMetric> {
    private static final EndpointMetric[] TABLE = EndpointMetric.values();
    private static final String[] NONE = {};

    public final String cluster;
    public final String endpoint;
    /** Holds what loops have counted that let the endpoint go before the others did. */
    final boolean leftover;

    public EndpointStats(String cluster, String endpoint) {
        this(cluster, endpoint, false);
    }

    EndpointStats(String cluster, String endpoint, boolean leftover) {
        super(TABLE, new String[] {cluster, endpoint}, NONE);
        this.cluster = cluster;
        this.endpoint = endpoint;
        this.leftover = leftover;
    }
}
