package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of spans, one line per family. */
public enum TraceMetric implements Metric {
    SPANS(counter("remora_trace_spans_total", "Recorded spans, by result.")
            .by("result", TraceStats.EXPORTED, TraceStats.FAILED, TraceStats.DROPPED)),
    HELD(gauge("remora_trace_queue_bytes", "Heap of encoded spans in the queue or in delivery."));

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
