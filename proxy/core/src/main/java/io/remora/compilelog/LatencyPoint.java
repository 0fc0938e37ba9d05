package io.remora.compilelog;

import org.HdrHistogram.Histogram;

/**
 * An interval of the latency log.
 *
 * @param fromMs milliseconds since the start of the VM
 * @param count requests
 */
record LatencyPoint(long fromMs, long toMs, long count, long p50Ns, long p99Ns, long maxNs) {
    static LatencyPoint of(long fromMs, long toMs, Histogram latencies) {
        return new LatencyPoint(
                fromMs,
                toMs,
                latencies.getTotalCount(),
                latencies.getValueAtPercentile(50),
                latencies.getValueAtPercentile(99),
                latencies.getMaxValue());
    }
}
