package io.remora.feature.fault;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

import io.remora.metrics.Family;
import io.remora.metrics.Metric;

/** The counters of each listener with faults, one line per family. */
enum FaultMetric implements Metric {
    DELAYS(counter("remora_fault_delays_total", "Requests delayed by a fault.")),
    DELAYS_ENDED(counter("remora_fault_delays_ended_total", "Fault delays that ended, by time or with the request.")),
    DELAYS_ACTIVE(gauge("remora_fault_delays_active", "Requests that a fault is delaying.")
            .difference(DELAYS, DELAYS_ENDED)),
    ABORTS(counter("remora_fault_aborts_total", "Requests that a fault answered instead of an endpoint.")),
    OVERFLOWED(counter("remora_fault_overflowed_total", "Requests not delayed because too many delays were active."));

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
