package io.remora.metrics;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The delays of the event loops' timers since this object was made.
 *
 * <p>Owner: the admin thread. The interval of the latency log does not change. Cost: 20 KB for each event loop, and twice that
 * once.
 */
public final class LoopLags {
    private static final double P50 = 50;
    private static final double P99 = 99;

    private final LatencyTotals totals;
    private final Map<LoopStats, Histogram> before = new HashMap<>();
    private final Histogram since = LatencyRecorder.newHistogram();

    public LoopLags(LatencyTotals totals) {
        this.totals = totals;
    }

    /** Returns the median, the 99th percentile and the longest delay of an event loop in nanoseconds; zeros at the first call. */
    public long[] of(LoopStats loop) {
        Histogram sum = totals.drainLag(loop);
        Histogram known = before.get(loop);
        if (known == null) {
            before.put(loop, sum.copy());
            return new long[3];
        }
        sum.copyInto(since);
        since.subtract(known);
        return new long[] {since.getValueAtPercentile(P50), since.getValueAtPercentile(P99), since.getMaxValue()};
    }
}
