package io.remora.metrics;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The time that exchanges spend in the proxy, by intervals of a reader of its own.
 *
 * <p>Owner: the admin thread. The interval of the latency log does not change. Cost: 20 KB for each listener, and three times
 * that once.
 */
public final class ProxyTimes {
    private static final double P99 = 99;

    private final LatencyTotals totals;
    private final Map<LatencyTotals.Total, Histogram> before = new HashMap<>();

    public ProxyTimes(LatencyTotals totals) {
        this.totals = totals;
    }

    /**
     * Ends the interval, and returns the 99th percentile of its exchanges at all listeners in nanoseconds; 0 if none ended.
     */
    public long takeP99Ns() {
        totals.drain();
        Histogram sum = LatencyRecorder.newHistogram();
        for (LatencyTotals.Total total : totals.all()) {
            if (total.metric == ListenerMetric.PROXY_TIME) {
                Histogram known = before.put(total, total.sum.copy());
                sum.add(total.sum);
                if (known != null) {
                    sum.subtract(known);
                }
            }
        }
        return sum.getTotalCount() == 0 ? 0 : sum.getValueAtPercentile(P99);
    }
}
