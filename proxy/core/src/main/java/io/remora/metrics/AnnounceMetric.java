package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** What is counted for each listener that is announced, one line a family of series. */
public enum AnnounceMetric implements Metric {
    ANNOUNCED(gauge("remora_announced", "Serversets that the listener is in, as far as the sidecar knows.")),
    ANNOUNCEMENTS(counter(
            "remora_announcements_total",
            "How often the listener joined a serverset, anew after each loss among them."));

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
