package io.remora.feature.fault;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

import io.remora.metrics.Family;
import io.remora.metrics.Metric;

/** The counters of each listener with faults, one line a family of series. */
enum FaultMetric implements Metric {
    DELAYS(counter("remora_fault_delays_total", "Requests that a fault delayed.")),
    DELAYS_ENDED(
            counter("remora_fault_delays_ended_total", "Delays by a fault that ended, by time or with the request.")),
    DELAYS_ACTIVE(gauge("remora_fault_delays_active", "Requests that a fault delays now.")
            .difference(DELAYS, DELAYS_ENDED)),
    ABORTS(counter("remora_fault_aborts_total", "Requests that a fault answered in an endpoint's place.")),
    OVERFLOWED(
            counter("remora_fault_overflowed_total", "Requests that were not delayed, as too many were at that time."));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    FaultMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
