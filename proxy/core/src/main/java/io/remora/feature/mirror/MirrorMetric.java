package io.remora.feature.mirror;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

import io.remora.metrics.Family;
import io.remora.metrics.Metric;

/** What is counted for each listener whose requests are copied, one line a family of series. */
enum MirrorMetric implements Metric {
    STARTED(counter("remora_mirrors_started_total", "Copies of requests that were begun.")),
    FINISHED(counter("remora_mirrors_finished_total", "Copies of requests that ended, well or not.")),
    IN_FLIGHT(gauge("remora_mirrors_in_flight", "Copies of requests under way.").difference(STARTED, FINISHED)),
    FAILED(counter("remora_mirrors_failed_total", "Copies that were whole and got no whole response.")),
    DROPPED(counter("remora_mirrors_dropped_total", "Requests of which no copy was sent, by what was in the way.")
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
