package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;
import static io.remora.metrics.Family.histogram;

/**
 * The metrics of each listener, one line per family.
 *
 * <p>Order: a line for ends stands below the line for beginnings, because a scrape reads the last line first (see
 * {@link Counts#read}).
 */
public enum ListenerMetric implements Metric {
    /** Exchanges whose request header section was read whole and understood, or that failed before that. */
    EXCHANGES_STARTED(
            counter("remora_exchanges_started_total", "Requests read, and requests that failed while being read.")),
    EXCHANGES_FINISHED(
            counter("remora_exchanges_finished_total", "Exchanges that ended, whether they succeeded or failed.")),
    EXCHANGES_IN_FLIGHT(gauge("remora_exchanges_in_flight", "Exchanges in flight.")
            .difference(EXCHANGES_STARTED, EXCHANGES_FINISHED)),
    EXCHANGES_CUT(counter("remora_exchanges_cut_total", "Exchanges ended because a drain timed out.")),
    RETRIES(counter("remora_retries_total", "Requests sent again on a fresh backend connection.")),
    /** Counted apart from {@link #RETRIES}: of these requests no endpoint has seen a byte. */
    REPICKS(counter("remora_repicks_total", "Attempts at another endpoint after one that received no byte.")),
    REQUEST_BODY(counter("remora_request_body_bytes_total", "Bytes of bodies and tunnels read from clients.")),
    RESPONSE_BODY(counter("remora_response_body_bytes_total", "Bytes of bodies and tunnels written to clients.")),
    FRONTEND_ACCEPTED(counter("remora_frontend_connections_accepted_total", "Connections accepted from clients.")),
    FRONTEND_CLOSED(counter("remora_frontend_connections_closed_total", "Client connections that closed.")),
    FRONTEND_ACTIVE(gauge("remora_frontend_connections_active", "Open client connections.")
            .difference(FRONTEND_ACCEPTED, FRONTEND_CLOSED)),
    RESPONSES(counter("remora_responses_total", "Final responses by status class; 1xx is a protocol switch.")
            .by("class", "1xx", "2xx", "3xx", "4xx", "5xx")),
    FAILURES(counter("remora_failures_total", "Exchanges that failed in the proxy, by failure label.")
            .by("failure")),
    PROXY_TIME(histogram(
            "remora_proxy_time_seconds",
            "Time that exchanges spent in the proxy, without waiting for peers.",
            "proxy")),
    BACKEND_TIME(histogram("remora_backend_time_seconds", "Time that exchanges waited for the backend.", "backend")),
    TOTAL_TIME(histogram(
            "remora_total_time_seconds",
            "Time from the first byte of a request to the last byte of its response.",
            "total"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    ListenerMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
