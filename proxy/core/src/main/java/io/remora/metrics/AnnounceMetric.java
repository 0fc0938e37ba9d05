package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each listener that is announced, one line per family. */
public enum AnnounceMetric implements Metric {
    ANNOUNCED(gauge("remora_announced", "Serversets that list the listener, as far as the sidecar knows.")),
    ANNOUNCEMENTS(counter("remora_announcements_total", "Joins of the listener to serversets, including rejoins."));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    AnnounceMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
