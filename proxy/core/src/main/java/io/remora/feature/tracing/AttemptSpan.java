package io.remora.feature.tracing;

import io.remora.exchange.AttemptView;
import org.jspecify.annotations.Nullable;

/** Span of one attempt. Owner: one exchange. Bounds: moments of a monotonic clock; 0 is one that has not come. */
final class AttemptSpan {
    final AttemptView attempt;
    final long id;
    final long startedNs;
    long pickedNs;
    long sentNs;
    long answeredNs;
    long endedNs;
    /** The one before. */
    final @Nullable AttemptSpan before;

    AttemptSpan(AttemptView attempt, long id, long startedNs, @Nullable AttemptSpan before) {
        this.attempt = attempt;
        this.id = id;
        this.startedNs = startedNs;
        this.before = before;
    }
}
