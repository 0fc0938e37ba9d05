package io.remora.metrics;

import static io.remora.metrics.Family.counter;

/** What is counted for each cluster that does something about failures, one line a family of series. */
public enum ClusterMetric implements Metric {
    RETRIES(counter("remora_cluster_retries_total", "Further attempts that a policy of retries made, by reason.")
            .by("reason", "connect", "reset", "timeout", "status")),
    RETRIES_REFUSED(counter("remora_cluster_retries_refused_total", "Retries that were due and not made, by reason.")
            .by("reason", "budget", "breaker", "body", "deadline"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    ClusterMetric(Family family) {
        this.family = family.within("cluster");
    }

    @Override
    public Family family() {
        return family;
    }
}
