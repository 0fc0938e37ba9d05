package io.remora.metrics;

import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latency totals as Prometheus histograms.
 *
 * <p>Owner: one scrape. Bounds: {@value PrometheusText#BUCKETS} buckets from 50 us to 10 s; their bounds are as sharp as the recorder's
 * digits, so a duration within one percent above a bound may count below it.
 */
final class LatencyMetrics {
    private static final double NS_PER_SECOND = 1e9;

    private final PrometheusText out;
    private final long[] counts = new long[PrometheusText.BUCKETS + 1];
    private double sumNs;

    LatencyMetrics(PrometheusText out) {
        this.out = out;
    }

    /** Writes every histogram of the table. */
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
            while (bucket < PrometheusText.BUCKETS
                    && histogram.lowestEquivalentValue(valueNs) > PrometheusText.BOUNDS_NS[bucket]) {
                bucket++;
            }
            counts[bucket] += count;
            sumNs += (double) histogram.medianEquivalentValue(valueNs) * count;
        }
    }

    private void write(Metric metric, String name) {
        long below = 0;
        for (int i = 0; i <= PrometheusText.BUCKETS; i++) {
            below += counts[i];
            out.sampleOf(metric, "_bucket", name).label("le", out.bound(i));
            out.bucket(metric, name, i, below);
        }
        out.sampleOf(metric, "_sum", name).value(sumNs / NS_PER_SECOND);
        out.sampleOf(metric, "_count", name).value(below);
    }
}
