package io.remora.testkit;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;

/** What a sidecar measured of one listener's exchanges, from the page {@code /latency.hlog}. Immutable. */
public final class Latencies {
    private final Map<String, Histogram> byKind = new HashMap<>();

    /** The intervals that {@code pages} tell of together. */
    Latencies(String listener, Iterable<String> pages) {
        for (String page : pages) {
            HistogramLogReader reader =
                    new HistogramLogReader(new ByteArrayInputStream(page.getBytes(StandardCharsets.US_ASCII)));
            EncodableHistogram interval = reader.nextIntervalHistogram();
            while (interval != null) {
                add(listener + ".", (Histogram) interval);
                interval = reader.nextIntervalHistogram();
            }
            reader.close();
        }
    }

    private void add(String prefix, Histogram interval) {
        String tag = interval.getTag();
        if (tag == null || !tag.startsWith(prefix)) {
            return;
        }
        String kind = tag.substring(prefix.length());
        Histogram sum = byKind.get(kind);
        if (sum == null) {
            byKind.put(kind, interval);
        } else {
            sum.add(interval);
        }
    }

    /** Where exchanges spent their time without waiting for a peer. */
    public Histogram proxy() {
        return of("proxy");
    }

    /** From a request's flush to the first bytes of its response. */
    public Histogram backend() {
        return of("backend");
    }

    /** From a request's first byte to its response's last. */
    public Histogram total() {
        return of("total");
    }

    private Histogram of(String kind) {
        Histogram histogram = byKind.get(kind);
        if (histogram == null) {
            throw new AssertionError("no latencies of " + kind);
        }
        return histogram;
    }

    /** The least that the recorded durations add up to, by the bounds of their buckets. */
    public static long leastSumNs(Histogram histogram) {
        long sum = 0;
        for (HistogramIterationValue step : histogram.recordedValues()) {
            sum += histogram.lowestEquivalentValue(step.getValueIteratedTo()) * step.getCountAtValueIteratedTo();
        }
        return sum;
    }

    /** The most that they add up to. */
    public static long mostSumNs(Histogram histogram) {
        long sum = 0;
        for (HistogramIterationValue step : histogram.recordedValues()) {
            sum += histogram.highestEquivalentValue(step.getValueIteratedTo()) * step.getCountAtValueIteratedTo();
        }
        return sum;
    }
}
