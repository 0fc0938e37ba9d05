package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** What is counted for each listener whose admission is adaptive, one line a family of series. */
public enum AdmissionMetric implements Metric {
    LIMIT(gauge("remora_admission_limit", "Requests that may wait for the backend at once, as the latency has it.")),
    CUTS(counter("remora_admission_cuts_total", "Cuts of the limit, by what the latency turned out to come from.")
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
