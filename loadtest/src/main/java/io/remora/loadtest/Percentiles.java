package io.remora.loadtest;

import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** Histograms of nanoseconds, 1 us to 60 s, and how they are told: as names and microseconds. */
final class Percentiles {
    private static final long LOWEST_NS = 1_000;
    private static final long HIGHEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private Percentiles() {}

    static Histogram histogram() {
        return new Histogram(LOWEST_NS, HIGHEST_NS, DIGITS);
    }

    static SingleWriterRecorder recorder() {
        return new SingleWriterRecorder(LOWEST_NS, HIGHEST_NS, DIGITS);
    }

    /** A duration as a histogram can hold it: one beyond the bounds counts as the bound. */
    static long inRange(long durationNs) {
        return Math.max(0, Math.min(durationNs, HIGHEST_NS));
    }

    /** Each name with a prefix, say {@code proxy_p50_us}. */
    static String line(String prefix, Histogram histogram) {
        return String.format(
                Locale.ROOT,
                "%1$sp50_us %2$.1f %1$sp90_us %3$.1f %1$sp99_us %4$.1f %1$sp999_us %5$.1f %1$smax_us %6$.1f",
                prefix,
                histogram.getValueAtPercentile(50) / 1e3,
                histogram.getValueAtPercentile(90) / 1e3,
                histogram.getValueAtPercentile(99) / 1e3,
                histogram.getValueAtPercentile(99.9) / 1e3,
                histogram.getMaxValue() / 1e3);
    }
}
