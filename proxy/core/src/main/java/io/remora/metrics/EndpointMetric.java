package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/**
 * The metrics of each endpoint of a cluster, one line per family.
 *
 * <p>Order: as in {@link ListenerMetric}.
 */
public enum EndpointMetric implements Metric {
    CONNECTS(counter("remora_backend_connects_total", "Connection attempts to endpoints.")),
    CONNECT_FAILURES(counter("remora_backend_connect_failures_total", "Connections that failed to open.")),
    OPENED(counter("remora_backend_connections_opened_total", "Connections to endpoints that opened.")),
    CLOSED(counter("remora_backend_connections_closed_total", "Connections to endpoints that closed.")),
    /** Leases served by a connection that had served before. */
    REUSED(counter("remora_backend_connections_reused_total", "Leases of connections used before.")),
    IDLE(gauge("remora_backend_connections_idle", "Idle connections in the pool.")),
    ACTIVE(gauge("remora_backend_connections_active", "Leased connections to endpoints.")
            .difference(OPENED, CLOSED, IDLE)),
    EXCHANGES(gauge("remora_backend_exchanges_in_flight", "Exchanges that an endpoint is serving.")),
    POOL_EXHAUSTED(counter("remora_backend_pool_exhausted_total", "Leases refused at the pool's limit.")),
    OUTCOMES(counter("remora_endpoint_outcomes_total", "Attempts at an endpoint, by outcome for its health.")
            .by("outcome", "success", "failure", "ignored"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    EndpointMetric(Family family) {
        this.family = family.within("cluster", "endpoint");
    }

    @Override
    public Family family() {
        return family;
    }
}
