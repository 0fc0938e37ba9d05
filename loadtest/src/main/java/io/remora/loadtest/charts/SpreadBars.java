package io.remora.loadtest.charts;

import io.remora.loadtest.charts.ChartSpec.Series;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The spread of bars, from low to high, as a series of its own: XChart's error bars are as long upwards as downwards. */
final class SpreadBars {
    private static final double ROOM_ABOVE = 1.05;

    private SpreadBars() {}

    static void add(CategoryChart chart, List<String> labels, Series series) {
        List<Double> low = values(series.low());
        List<Double> high = values(series.high());
        if (high.isEmpty()) {
            return;
        }
        List<Double> middles = new ArrayList<>();
        List<Double> halves = new ArrayList<>();
        for (int i = 0; i < high.size(); i++) {
            middles.add((low.get(i) + high.get(i)) / 2);
            halves.add((high.get(i) - low.get(i)) / 2);
        }
        chart.addSeries("spread", labels, middles, halves)
                .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter)
                .setOverlapped(true)
                .setMarker(SeriesMarkers.NONE)
                .setShowInLegend(false);
        chart.getStyler().setOverlapped(true);
        double highest = high.stream().mapToDouble(Double::doubleValue).max().orElse(0);
        if (highest > 0) {
            chart.getStyler().setYAxisMax(ROOM_ABOVE * highest);
        }
    }

    /** Without gaps, which {@link ChartSpec} has ruled out. */
    private static List<Double> values(@Nullable List<@Nullable Double> list) {
        List<Double> values = new ArrayList<>();
        for (Double value : list == null ? List.<Double>of() : list) {
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }
}
