package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each cluster with a resolver, one line per family. */
public enum NamingMetric implements Metric {
    STATE(gauge("remora_resolver_state", "1 for the state of the last response from the endpoint source.")
            .by("state", "bound", "empty", "pending", "failed")),
    ANSWERS(counter("remora_resolver_answers_total", "Responses of the endpoint source, by outcome.")
            .by("outcome", "bound", "empty", "failed", "refused")),
    DROPPED(counter(
            "remora_resolver_dropped_total", "Endpoint lists dropped because the source was silent for too long.")),
    ENDPOINTS(gauge("remora_resolver_endpoints", "Endpoints in the last valid response.")),
    ANSWERED(gauge(
                    "remora_resolver_answered_seconds",
                    "Time of the last valid response, in seconds since 1970; 0 for never.")
            .inMilliseconds()),
    WAITING(gauge("remora_pending_requests", "Requests waiting for the first response of the endpoint source.")),
    WAITED(counter("remora_pending_requests_total", "Requests that arrived before the first response, by outcome.")
            .by("outcome", "served", "timeout", "overflow", "gone"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    NamingMetric(Family family) {
        this.family = family.within("cluster", "source");
    }

    @Override
    public Family family() {
        return family;
    }
}
