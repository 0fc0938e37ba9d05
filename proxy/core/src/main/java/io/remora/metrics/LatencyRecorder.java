package io.remora.metrics;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Durations in nanoseconds, written by one event loop and drained by one reader.
 *
 * <p>Owner: {@link #record} belongs to the event loop, {@link #drainInto} to the reader; neither waits for the other.
 * Bounds: 1 us to 60 s at two significant digits; a duration outside is counted at the bound.
 */
public final class LatencyRecorder {
    public static final long LOWEST_NS = 1_000;
    public static final long HIGHEST_NS = 60_000_000_000L;
    private static final int DIGITS = 2;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(LOWEST_NS, HIGHEST_NS, DIGITS);
    /** The reader's, for the recorder to write the next interval to; none before the first. */
    private @Nullable Histogram drained;

    /** Returns an empty histogram with room for all that a recorder drains. */
    public static Histogram newHistogram() {
        return new Histogram(LOWEST_NS, HIGHEST_NS, DIGITS);
    }

    public void record(long durationNs) {
        recorder.recordValue(Math.max(0, Math.min(durationNs, HIGHEST_NS)));
    }

    /** Adds the durations since the last call to {@code sum}. One reader at a time. */
    public void drainInto(Histogram sum) {
        drained = recorder.getIntervalHistogram(drained);
        sum.add(drained);
    }
}
