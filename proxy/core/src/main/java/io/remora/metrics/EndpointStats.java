package io.remora.metrics;

/**
 * What one event loop counts for one endpoint of a cluster; a scrape adds the loops up.
 *
 * <p>Owner: written by its event loop only.
 */
public final class EndpointStats {
    public final String cluster;
    public final String endpoint;
    public final Counter connectsStarted = new Counter();
    public final Counter connectsFailed = new Counter();
    public final Counter connectionsOpened = new Counter();
    public final Counter connectionsClosed = new Counter();
    /** Leases served by a connection that had served before. */
    public final Counter connectionsReused = new Counter();
    /** Connections in the pool now, a gauge. */
    public final Counter connectionsIdle = new Counter();
    /** Exchanges this endpoint serves now, a gauge. */
    public final Counter exchangesActive = new Counter();

    public final Counter poolExhausted = new Counter();
    public final Counter outcomeSuccess = new Counter();
    public final Counter outcomeFailure = new Counter();
    public final Counter outcomeIgnored = new Counter();

    public EndpointStats(String cluster, String endpoint) {
        this.cluster = cluster;
        this.endpoint = endpoint;
    }
}
