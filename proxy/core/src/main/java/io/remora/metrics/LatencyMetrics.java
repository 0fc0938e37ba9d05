package io.remora.metrics;

import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latency totals as Prometheus histograms.
 *
 * <p>Owner: one scrape. Bounds: {@value #BUCKETS} buckets from 50 us to 10 s; their bounds are as sharp as the
 * recorder's digits, so a duration within one percent above a bound may count below it.
 */
final class LatencyMetrics {
    static final int BUCKETS = 20;
    private static final double NS_PER_SECOND = 1e9;
    static final String[] BOUNDS_SECONDS = {
        "0.00005", "0.0001", "0.0002", "0.0003", "0.0005", "0.00075", "0.001", "0.002", "0.003", "0.005", "0.0075",
        "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "3", "10",
    };
    static final long[] BOUNDS_NS = {
        50_000,
        100_000,
        200_000,
        300_000,
        500_000,
        750_000,
        1_000_000,
        2_000_000,
        3_000_000,
        5_000_000,
        7_500_000,
        10_000_000,
        25_000_000,
        50_000_000,
        100_000_000,
        250_000_000,
        500_000_000,
        1_000_000_000,
        3_000_000_000L,
        10_000_000_000L,
    };

    private final PrometheusText out;
    private final long[] counts = new long[BUCKETS + 1];
    private double sumNs;

    LatencyMetrics(PrometheusText out) {
        this.out = out;
    }

    /** Every histogram of the table. */
    void write(LatencyTotals totals, Metric[] table) {
        for (Metric metric : table) {
            if (metric.family().isHistogram()) {
                write(totals, metric);
            }
        }
    }

    private void write(LatencyTotals totals, Metric metric) {
        boolean first = true;
        for (LatencyTotals.Total total : totals.all()) {
            if (total.metric == metric) {
                if (first) {
                    out.family(metric);
                }
                first = false;
                count(total.sum);
                write(metric, total.name);
            }
        }
    }

    private void count(Histogram histogram) {
        Arrays.fill(counts, 0);
        sumNs = 0;
        int bucket = 0;
        for (HistogramIterationValue step : histogram.recordedValues()) {
            long valueNs = step.getValueIteratedTo();
            long count = step.getCountAddedInThisIterationStep();
            while (bucket < BUCKETS && histogram.lowestEquivalentValue(valueNs) > BOUNDS_NS[bucket]) {
                bucket++;
            }
            counts[bucket] += count;
            sumNs += (double) histogram.medianEquivalentValue(valueNs) * count;
        }
    }

    private void write(Metric metric, String name) {
        long below = 0;
        for (int i = 0; i <= BUCKETS; i++) {
            below += counts[i];
            out.sampleOf(metric, "_bucket", name).label("le", out.bound(i));
            out.bucket(metric, name, i, below);
        }
        out.sampleOf(metric, "_sum", name).value(sumNs / NS_PER_SECOND);
        out.sampleOf(metric, "_count", name).value(below);
    }
}
