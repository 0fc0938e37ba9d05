package io.remora.feature.mirror;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

import io.remora.metrics.Family;
import io.remora.metrics.Metric;

/** Counts for each listener with mirrored requests, one line per family. */
enum MirrorMetric implements Metric {
    STARTED(counter("remora_mirrors_started_total", "Mirrored requests started.")),
    FINISHED(counter(
            "remora_mirrors_finished_total", "Mirrored requests that ended, whether they succeeded or failed.")),
    IN_FLIGHT(gauge("remora_mirrors_in_flight", "Mirrored requests in flight.").difference(STARTED, FINISHED)),
    FAILED(counter("remora_mirrors_failed_total", "Mirrored requests sent completely without a complete response.")),
    DROPPED(counter("remora_mirrors_dropped_total", "Requests that were not mirrored, by reason.")
            .by("reason", "busy", "memory", "body", "incomplete"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    MirrorMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
