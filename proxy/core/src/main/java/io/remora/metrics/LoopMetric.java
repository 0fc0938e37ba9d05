package io.remora.metrics;

import static io.remora.metrics.Family.histogram;

/** What is measured for each event loop, one line a family of series. */
public enum LoopMetric implements Metric {
    LAG(histogram("remora_event_loop_lag_seconds", "How late event loops ran their timers.", "lag"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    LoopMetric(Family family) {
        this.family = family.within("loop");
    }

    @Override
    public Family family() {
        return family;
    }
}
