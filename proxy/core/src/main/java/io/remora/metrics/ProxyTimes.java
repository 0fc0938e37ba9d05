package io.remora.metrics;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The time that exchanges spend in the proxy, in intervals that begin where this reader's last one ended.
 *
 * <p>Owner: the admin thread. The interval of the latency log does not change. Cost: 20 KB for each listener and 20 KB once,
 * besides the sums of {@link LatencyTotals}, which stay.
 */
public final class ProxyTimes {
    private static final double P99 = 99;

    private final LatencyTotals totals;
    private final Map<LatencyTotals.Total, Histogram> before = new HashMap<>();
    private final Histogram sum = LatencyRecorder.newHistogram();

    public ProxyTimes(LatencyTotals totals) {
        this.totals = totals;
    }

    /**
     * Ends the interval, and returns the 99th percentile of its exchanges at all listeners in nanoseconds; 0 if none ended.
     */
    public long takeP99Ns() {
        totals.drain();
        sum.reset();
        for (LatencyTotals.Total total : totals.all()) {
            if (total.metric == ListenerMetric.PROXY_TIME) {
                Histogram known = before.get(total);
                if (known == null) {
                    known = LatencyRecorder.newHistogram();
                    before.put(total, known);
                }
                sum.add(total.sum);
                sum.subtract(known);
                known.reset();
                known.add(total.sum);
            }
        }
        return sum.getTotalCount() == 0 ? 0 : sum.getValueAtPercentile(P99);
    }
}
