package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each listener with adaptive admission, one line per family. */
public enum AdmissionMetric implements Metric {
    LIMIT(gauge("remora_admission_limit", "Current concurrency limit, in requests.")),
    CUTS(counter("remora_admission_cuts_total", "Reductions of the limit, by cause of the latency.")
            .by("cause", "load", "other"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    AdmissionMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
