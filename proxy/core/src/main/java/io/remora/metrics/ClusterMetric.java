package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each cluster with retries, hedging, ejection or health checks, one line per family. */
public enum ClusterMetric implements Metric {
    RETRIES(counter("remora_cluster_retries_total", "Retries by policy, by reason.")
            .by("reason", "connect", "reset", "timeout", "status")),
    RETRIES_REFUSED(counter("remora_cluster_retries_refused_total", "Retries that were due but not made, by reason.")
            .by("reason", "budget", "breaker", "body", "deadline")),
    HEDGES(counter("remora_hedges_total", "Hedged attempts by outcome; refused ones were not made.")
            .by("outcome", "won", "lost", "refused")),
    EJECTIONS(counter("remora_cluster_ejections_total", "Ejections of endpoints, by reason.")
            .by("reason", "consecutive", "success-rate", "health-check")),
    EJECTED(gauge("remora_cluster_ejected", "Ejected endpoints.")),
    PANIC(gauge("remora_cluster_panic", "1 while too few endpoints are left and the cluster uses all of them.")),
    CHECKS(counter("remora_cluster_health_checks_total", "Health checks, by outcome.")
            .by("outcome", "success", "failure"));

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
