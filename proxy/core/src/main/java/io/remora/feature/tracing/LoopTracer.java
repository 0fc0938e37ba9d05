package io.remora.feature.tracing;

import io.remora.exchange.StagedRequest;
import io.remora.transport.Loop;
import java.util.SplittableRandom;

/**
 * One event loop's ids, clock and spans on their way.
 *
 * <p>Owner: the event loop. An id is unique, not secret.
 */
final class LoopTracer {
    private static final long DRIFT_US = 2_000;

    private final Loop loop;
    private final SplittableRandom random;
    private final SpanQueue queue;
    private final Exporter exporter;
    private final SpanAttributes spans;
    /** Time of day less the monotonic clock: added to the clock, it gives the time of day. */
    private long offsetUs;

    LoopTracer(Loop loop, Exporter exporter, SpanQueue queue, long seed) {
        this.loop = loop;
        this.random = new SplittableRandom(seed);
        this.exporter = exporter;
        this.queue = queue;
        this.spans = new SpanAttributes(queue.writer(), this);
    }

    Exporter exporter() {
        return exporter;
    }

    long newId() {
        long id = random.nextLong();
        return id == 0 ? 1 : id;
    }

    long nowNs() {
        return loop.nowNs();
    }

    /** The time of day, in microseconds, of a moment of the loop's clock. */
    long epochUs(long atNs) {
        return offsetUs + atNs / 1_000;
    }

    // spans of one exchange have one offset, so that they stand to each other as they were
    private void lookAtClock(long nowNs) {
        long offset = System.currentTimeMillis() * 1_000 - nowNs / 1_000;
        if (Math.abs(offset - offsetUs) > DRIFT_US) {
            offsetUs = offset;
        }
    }

    /** An exchange has ended whose spans are to be kept. */
    void record(ExchangeSpans of, StagedRequest exchange) {
        long nowNs = loop.nowNs();
        lookAtClock(nowNs);
        queue.beginSpan();
        spans.server(of, exchange, nowNs);
        if (queue.endSpan()) {
            exchange.recorded();
        }
        for (AttemptSpan span = of.last(); span != null; span = span.before) {
            queue.beginSpan();
            spans.client(of, span, exchange, nowNs);
            queue.endSpan();
        }
        exporter.added();
    }
}
