package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** What is counted for each listener that is announced, one line a family of series. */
public enum AnnounceMetric implements Metric {
    ANNOUNCED(gauge("remora_announced", "Whether the listener is announced as far as the sidecar knows, 0 or 1.")),
    ANNOUNCEMENTS(counter(
            "remora_announcements_total", "How often the listener was announced, anew after each loss among them."));

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
