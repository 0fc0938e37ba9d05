package io.remora.metrics;

/** What one event loop counts for one endpoint of a cluster. */
public final class EndpointStats extends Counts<EndpointMetric> {
    private static final EndpointMetric[] TABLE = EndpointMetric.values();
    private static final String[] NONE = {};

    public final String cluster;
    public final String endpoint;
    /** Of cluster and endpoint: two that share their series have the same. */
    final int series;
    /** Holds what loops have counted that let the endpoint go before the others did. */
    final boolean leftover;

    public EndpointStats(String cluster, String endpoint) {
        this(cluster, endpoint, false);
    }

    EndpointStats(String cluster, String endpoint, boolean leftover) {
        super(TABLE, new String[] {cluster, endpoint}, NONE);
        this.cluster = cluster;
        this.endpoint = endpoint;
        this.series = 31 * cluster.hashCode() + endpoint.hashCode();
        this.leftover = leftover;
    }
}
