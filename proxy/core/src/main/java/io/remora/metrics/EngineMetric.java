package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/**
 * The metrics of the Finagle engine for each cluster, one line per family. The names are
 * Finagle's. Names that are not in these lists are not counted, so that neither traffic nor a library's next version
 * makes series.
 */
public enum EngineMetric implements Metric {
    EVENTS(counter("remora_engine_events_total", "Finagle counters of a cluster, by name.")
            .by(
                    "event",
                    "failure_accrual/probes",
                    "failure_accrual/removals",
                    "failure_accrual/revivals",
                    "loadbalancer/adds",
                    "loadbalancer/panicked",
                    "loadbalancer/rebuilds",
                    "loadbalancer/removes",
                    "loadbalancer/updates",
                    "pool_num_too_many_waiters",
                    "retries/budget_exhausted",
                    "retries/cannot_retry",
                    "retries/request_limit",
                    "retries/requeues")),
    LEVELS(gauge("remora_engine_level", "Finagle gauges of a cluster, by name.")
            .by(
                    "level",
                    "loadbalancer/available",
                    "loadbalancer/busy",
                    "loadbalancer/closed",
                    "loadbalancer/size",
                    "pool_cached",
                    "pool_size"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    EngineMetric(Family family) {
        this.family = family.within("cluster");
    }

    @Override
    public Family family() {
        return family;
    }
}
