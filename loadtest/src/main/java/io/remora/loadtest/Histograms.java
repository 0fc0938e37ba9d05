package io.remora.loadtest;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/**
 * Prints HdrHistogram interval logs as JSON: {@code Histograms FILE...}.
 *
 * <pre>
 * {"TAG": {"count": N, "p50_us": X, "p90_us": X, "p99_us": X, "p999_us": X, "max_us": X, "curve": [[PERCENTILE,
 * VALUE_US], ...]}}
 * </pre>
 *
 * Intervals of a tag are added up over all files. A tag that counted nothing has null figures and an empty curve.
 */
public final class Histograms {
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private Histograms() {}

    public static void main(String[] files) throws IOException {
        System.out.println(json(files));
    }

    static String json(String... files) throws IOException {
        SortedMap<String, Histogram> sums = new TreeMap<>();
        for (String file : files) {
            IntervalLog.read(file, sums);
        }
        Map<String, Object> tags = new LinkedHashMap<>();
        sums.forEach((tag, sum) -> tags.put(tag, figures(sum)));
        return new ObjectMapper().writeValueAsString(tags);
    }

    private static Map<String, @Nullable Object> figures(Histogram histogram) {
        boolean empty = histogram.getTotalCount() == 0;
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        figures.put("count", histogram.getTotalCount());
        figures.put("p50_us", empty ? null : Percentiles.microseconds(histogram, 50));
        figures.put("p90_us", empty ? null : Percentiles.microseconds(histogram, 90));
        figures.put("p99_us", empty ? null : Percentiles.microseconds(histogram, 99));
        figures.put("p999_us", empty ? null : Percentiles.microseconds(histogram, 99.9));
        figures.put("max_us", empty ? null : histogram.getMaxValue() / 1e3);
        figures.put("curve", empty ? List.of() : curve(histogram));
        return figures;
    }

    private static List<double[]> curve(Histogram histogram) {
        List<double[]> points = new ArrayList<>();
        for (HistogramIterationValue value : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
            points.add(new double[] {value.getPercentileLevelIteratedTo(), value.getValueIteratedTo() / 1e3});
        }
        return points;
    }
}
