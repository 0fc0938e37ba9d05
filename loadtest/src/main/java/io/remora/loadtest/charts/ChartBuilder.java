package io.remora.loadtest.charts;

import io.remora.loadtest.charts.ChartSpec.Axis;
import io.remora.loadtest.charts.ChartSpec.Kind;
import io.remora.loadtest.charts.ChartSpec.Series;
import java.awt.BasicStroke;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Builds XChart's chart from a description. */
final class ChartBuilder {
    private ChartBuilder() {}

    static Chart<?, ?> of(ChartSpec spec) {
        return spec.x().is(Kind.CATEGORIES) ? categories(spec) : curves(spec);
    }

    private static XYChart curves(ChartSpec spec) {
        XYChart chart =
                new XYChartBuilder().width(spec.width()).height(spec.height()).build();
        setTitles(chart, spec);
        ChartStyle.apply(chart.getStyler(), spec);
        int number = 0;
        for (Series series : spec.series()) {
            addCurve(chart, spec, series, number++);
        }
        return chart;
    }

    private static void setTitles(Chart<?, ?> chart, ChartSpec spec) {
        chart.setTitle(spec.title());
        chart.setXAxisTitle(spec.x().title());
        chart.setYAxisTitle(spec.y().title());
    }

    private static void addCurve(XYChart chart, ChartSpec spec, Series series, int number) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < series.y().size(); i++) {
            Double place = shown(spec.x(), series.x().get(i));
            Double value = shown(spec.y(), series.y().get(i));
            if (place != null) {
                x.add(spec.x().is(Kind.PERCENTILE) ? Math.log10(place) : place);
                y.add(value == null ? Double.NaN : value);
            }
        }
        if (y.stream().allMatch(value -> value.isNaN())) {
            return;
        }
        XYSeries drawn = chart.addSeries(series.name(), x, y);
        drawn.setLineColor(ChartStyle.color(number)).setLineStyle(line(series, number));
        drawn.setMarker(SeriesMarkers.NONE);
    }

    private static CategoryChart categories(ChartSpec spec) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(spec.width())
                .height(spec.height())
                .build();
        setTitles(chart, spec);
        ChartStyle.apply(chart.getStyler(), spec);
        chart.getStyler().setAvailableSpaceFill(0.6);
        chart.getStyler().setOverlapped(!spec.bars());
        int number = 0;
        for (Series series : spec.series()) {
            addCategories(chart, spec, series, number++);
        }
        if (spec.bars() && spec.series().size() == 1) {
            label(chart.getStyler());
            SpreadBars.add(chart, spec.x().labels(), spec.series().get(0));
        }
        return chart;
    }

    private static void addCategories(CategoryChart chart, ChartSpec spec, Series series, int number) {
        List<@Nullable Double> y = new ArrayList<>();
        series.y().forEach(value -> y.add(shown(spec.y(), value)));
        if (y.stream().allMatch(value -> value == null)) {
            return;
        }
        CategorySeries drawn = chart.addSeries(series.name(), spec.x().labels(), y);
        drawn.setChartCategorySeriesRenderStyle(
                spec.bars() ? CategorySeriesRenderStyle.Bar : CategorySeriesRenderStyle.Line);
        drawn.setFillColor(ChartStyle.color(number));
        drawn.setLineColor(ChartStyle.color(number)).setLineStyle(line(series, number));
        drawn.setMarker(ChartStyle.marker(number)).setMarkerColor(ChartStyle.color(number));
    }

    /** Each bar tells its value at its foot, where no spread covers it. */
    private static void label(CategoryStyler styler) {
        styler.setLabelsVisible(true);
        styler.setLabelsPosition(0.06);
        styler.setLabelsFontColorAutomaticEnabled(false);
        styler.setLabelsFontColor(Color.WHITE);
    }

    /** Once all colours have been used, the next ones are dashed. */
    private static BasicStroke line(Series series, int number) {
        return ChartStyle.line(series.dashed() || number >= ChartStyle.colors());
    }

    /** The value, or null where the axis has no place for it. */
    private static @Nullable Double shown(Axis axis, @Nullable Double value) {
        return value == null || !Double.isFinite(value) || axis.logarithmic() && value <= 0 ? null : value;
    }
}
