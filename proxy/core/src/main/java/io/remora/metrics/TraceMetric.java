package io.remora.metrics;

import static io.remora.metrics.Family.counter;

/** What is counted of spans, one line a family of series. */
public enum TraceMetric implements Metric {
    SPANS(counter("remora_trace_spans_total", "Spans that were recorded, by what became of them.")
            .by("result", TraceStats.EXPORTED, TraceStats.FAILED, TraceStats.DROPPED));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    TraceMetric(Family family) {
        this.family = family.within();
    }

    @Override
    public Family family() {
        return family;
    }
}
