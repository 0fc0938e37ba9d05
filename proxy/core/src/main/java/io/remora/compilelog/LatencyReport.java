package io.remora.compilelog;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Latencies by interval, and their distributions in storms and outside. */
final class LatencyReport {
    private static final long HIGHEST_NS = 60_000_000_000L;
    private static final int DIGITS = 2;

    final List<LatencyPoint> points = new ArrayList<>();
    final Histogram inStorms = histogram();
    final Histogram outside = histogram();
    private long notShown;

    private static Histogram histogram() {
        Histogram histogram = new Histogram(1, HIGHEST_NS, DIGITS);
        histogram.setAutoResize(true);
        return histogram;
    }

    void add(LatencyPoint point, Histogram latencies, boolean isInStorm, int most) {
        (isInStorm ? inStorms : outside).add(latencies);
        if (points.size() < most) {
            points.add(point);
        } else {
            notShown++;
        }
    }

    /** Returns the intervals that only the distributions have. */
    long notShown() {
        return notShown;
    }
}
