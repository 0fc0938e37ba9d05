package io.remora.loadtest;

import java.util.Locale;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/** The histograms of this package, in nanoseconds from 1 us to 60 s at three digits, and their percentiles as text. */
final class Percentiles {
    static final long HIGHEST_NS = 60_000_000_000L;

    private static final long LOWEST_NS = 1_000;
    private static final int DIGITS = 3;

    private Percentiles() {}

    static Histogram histogram() {
        return new Histogram(LOWEST_NS, HIGHEST_NS, DIGITS);
    }

    /** Takes the histograms of others too, whatever their range. */
    static Histogram sum() {
        Histogram sum = new Histogram(LOWEST_NS, HIGHEST_NS, DIGITS);
        sum.setAutoResize(true);
        return sum;
    }

    /** Names and figures in turn, each name behind the prefix. */
    static String line(String prefix, AbstractHistogram histogram) {
        return String.format(
                Locale.ROOT,
                "%1$sp50_us %2$.1f %1$sp90_us %3$.1f %1$sp99_us %4$.1f %1$sp999_us %5$.1f %1$smax_us %6$.1f",
                prefix,
                microseconds(histogram, 50),
                microseconds(histogram, 90),
                microseconds(histogram, 99),
                microseconds(histogram, 99.9),
                histogram.getMaxValue() / 1e3);
    }

    static double microseconds(AbstractHistogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }
}
