package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** What is counted for each cluster with a resolver, one line a family of series. */
public enum NamingMetric implements Metric {
    STATE(gauge("remora_resolver_state", "1 for what the source of a cluster's endpoints said last.")
            .by("state", "bound", "empty", "pending", "failed")),
    ANSWERS(counter("remora_resolver_answers_total", "What the source has said, by what that was.")
            .by("outcome", "bound", "empty", "failed", "refused")),
    DROPPED(counter(
            "remora_resolver_dropped_total", "Last answers given up because their source was gone for too long.")),
    ENDPOINTS(gauge("remora_resolver_endpoints", "Endpoints that the cluster has by its last good answer.")),
    ANSWERED(
            gauge("remora_resolver_answered_seconds", "When that answer was given, in seconds since 1970; 0 for never.")
                    .inMilliseconds()),
    WAITING(gauge("remora_pending_requests", "Requests that wait for a cluster's first answer.")),
    WAITED(counter(
                    "remora_pending_requests_total",
                    "Requests that came before the first answer, by what became of them.")
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
