package io.remora.loadtest;

import io.remora.loadtest.ChartSpec.Series;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The spread of bars, from low to high, as a series of its own: XChart's error bars are as long upwards as downwards. */
final class Spread {
    private static final double ROOM_ABOVE = 1.05;

    private Spread() {}

    static void add(CategoryChart chart, List<String> labels, Series series) {
        List<@Nullable Double> low = series.low();
        List<@Nullable Double> high = series.high();
        if (low == null || high == null || high.stream().noneMatch(Objects::nonNull)) {
            return;
        }
        List<@Nullable Double> middles = new ArrayList<>();
        List<Double> halves = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            Double from = low.get(i);
            Double to = high.get(i);
            if (from == null || to == null) {
                middles.add(null);
            } else {
                middles.add((from + to) / 2);
                halves.add((to - from) / 2);
            }
        }
        // XChart takes no half where it skips a middle, and asks for as many nevertheless.
        halves.addAll(Collections.nCopies(labels.size() - halves.size(), 0.0));
        chart.addSeries("spread", labels, middles, halves)
                .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter)
                .setOverlapped(true)
                .setMarker(SeriesMarkers.NONE)
                .setShowInLegend(false);
        chart.getStyler().setOverlapped(true);
        chart.getStyler().setYAxisMax(ROOM_ABOVE * highest(series.y(), high));
    }

    private static double highest(List<@Nullable Double> values, List<@Nullable Double> high) {
        double highest = 0;
        for (int i = 0; i < values.size(); i++) {
            Double value = values.get(i);
            Double end = high.get(i);
            highest = Math.max(highest, Math.max(value == null ? 0 : value, end == null ? 0 : end));
        }
        return highest;
    }
}
