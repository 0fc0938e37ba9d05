package io.remora.feature.tracing;

import io.remora.feature.tracing.TraceExportConfig.Format;
import io.remora.metrics.TraceStats;

/**
 * Encoded spans that wait for their delivery, next to those in delivery.
 *
 * <p>Owner: one event loop. Cost: two arrays, which are kept up to 64 KiB each. Bounds: {@code queue} octets for each of the two, and half
 * of that once more while one grows; a span that does not fit is dropped and counted.
 */
final class SpanQueue {
    private final JsonBuffer waiting;
    private final JsonBuffer leaving;
    private final SpanWriter writer;
    private final TraceStats stats;
    private final int maxBytes;
    private final String tail;
    private int spans;
    private int spansLeaving;
    private int before;
    /** Dropped since {@link #takeDropped}. */
    private int dropped;
    /** Size of the arrays as the statistics have it. */
    private int toldBytes;

    SpanQueue(TracingConfig config, TraceStats stats) {
        this.stats = stats;
        this.maxBytes = config.export().queueBytes();
        this.waiting = new JsonBuffer(maxBytes);
        this.leaving = new JsonBuffer(maxBytes);
        this.writer = writer(config, waiting);
        this.tail = writer.tail();
    }

    private static SpanWriter writer(TracingConfig config, JsonBuffer buffer) {
        TraceExportConfig export = config.export();
        return export.format() == Format.ZIPKIN
                ? new ZipkinWriter(buffer, config.service())
                : new OtlpWriter(buffer, config.service());
    }

    SpanWriter writer() {
        return writer;
    }

    int length() {
        return waiting.length();
    }

    int maxBytes() {
        return maxBytes;
    }

    void beginSpan() {
        before = waiting.length();
        waiting.raw(before == 0 ? writer.head() : ",");
    }

    /** Tells whether it fits. */
    boolean endSpan() {
        boolean fits = !waiting.isOverrun() && waiting.length() + tail.length() <= maxBytes;
        if (fits) {
            spans++;
        } else {
            waiting.cut(before);
            drop(1);
        }
        tellHeld();
        return fits;
    }

    private void tellHeld() {
        int held = waiting.capacity() + leaving.capacity();
        if (held != toldBytes) {
            stats.holds(held - toldBytes);
            toldBytes = held;
        }
    }

    /** Returns the waiting spans for the next delivery; the delivery before is over. */
    JsonBuffer take() {
        waiting.raw(tail);
        leaving.clear();
        leaving.swap(waiting);
        spansLeaving = spans;
        spans = 0;
        tellHeld();
        return leaving;
    }

    /** The number of spans that are being delivered. */
    int leaving() {
        return spansLeaving;
    }

    /** Counts the spans that were taken, so many of which have failed. */
    void delivered(int failed) {
        stats.count(TraceStats.EXPORTED, spansLeaving - failed);
        stats.count(TraceStats.FAILED, failed);
        spansLeaving = 0;
        leaving.clear();
        tellHeld();
    }

    /** Drops the waiting spans, and keeps no array for more. */
    void drop() {
        drop(spans);
        spans = 0;
        waiting.free();
        tellHeld();
    }

    private void drop(int some) {
        stats.count(TraceStats.DROPPED, some);
        dropped += some;
    }

    /** Returns the number of spans dropped since the last call. */
    int takeDropped() {
        int some = dropped;
        dropped = 0;
        return some;
    }
}
