package io.remora.loadtest;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;

/**
 * Reads HdrHistogram logs of nanoseconds, and tells by tag, over all intervals, as JSON: {@code count}, {@code p50_us}, {@code p90_us},
 * {@code p99_us}, {@code p999_us}, {@code max_us}, and {@code curve}, pairs of a percentile (0 to 100) and microseconds.
 */
public final class Histograms {
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private Histograms() {}

    public static void main(String[] files) throws Exception {
        Map<String, Object> told = new TreeMap<>();
        byTag(files).forEach((tag, histogram) -> told.put(tag, figures(histogram)));
        new ObjectMapper().writeValue(System.out, told);
    }

    /** The sum of all intervals of each tag; an interval without a tag counts as "untagged". */
    static Map<String, Histogram> byTag(String... files) throws FileNotFoundException {
        Map<String, Histogram> sums = new TreeMap<>();
        for (String file : files) {
            try (HistogramLogReader reader = new HistogramLogReader(file)) {
                while (reader.hasNext()) {
                    EncodableHistogram next = reader.nextIntervalHistogram();
                    if (next instanceof AbstractHistogram histogram) {
                        String tag = next.getTag() == null ? "untagged" : next.getTag();
                        sums.computeIfAbsent(tag, unseen -> Percentiles.histogram())
                                .add(histogram);
                    }
                }
            }
        }
        return sums;
    }

    private static Map<String, Object> figures(Histogram histogram) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("count", histogram.getTotalCount());
        figures.put("p50_us", histogram.getValueAtPercentile(50) / 1e3);
        figures.put("p90_us", histogram.getValueAtPercentile(90) / 1e3);
        figures.put("p99_us", histogram.getValueAtPercentile(99) / 1e3);
        figures.put("p999_us", histogram.getValueAtPercentile(99.9) / 1e3);
        figures.put("max_us", histogram.getMaxValue() / 1e3);
        figures.put("curve", curve(histogram));
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
