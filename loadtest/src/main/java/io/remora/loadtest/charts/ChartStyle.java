package io.remora.loadtest.charts;

import io.remora.loadtest.charts.ChartSpec.Kind;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** How all charts look: white, few lines, and colours that colour-blind readers tell apart (Okabe and Ito's). */
final class ChartStyle {
    private static final Color[] COLORS = {
        new Color(0x0072B2),
        new Color(0xD55E00),
        new Color(0x009E73),
        new Color(0xCC79A7),
        new Color(0xE69F00),
        new Color(0x56B4E9),
        new Color(0x000000),
    };
    private static final Marker[] MARKERS = {
        SeriesMarkers.CIRCLE, SeriesMarkers.SQUARE, SeriesMarkers.DIAMOND, SeriesMarkers.TRIANGLE_UP,
    };
    private static final Color TEXT = new Color(0x333333);
    private static final Color GRID = new Color(0xE4E4E4);
    private static final int TEXT_SIZE = 13;
    private static final MathContext DIGITS = new MathContext(12);

    private static final int NAMES_IN_A_ROW = 5;

    private ChartStyle() {}

    static Color color(int series) {
        return COLORS[series % COLORS.length];
    }

    static int colors() {
        return COLORS.length;
    }

    static Marker marker(int series) {
        return MARKERS[series % MARKERS.length];
    }

    static BasicStroke line(boolean dashed) {
        float[] dashes = dashed ? new float[] {6, 4} : null;
        return new BasicStroke(2f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10f, dashes, 0f);
    }

    static void apply(AxesChartStyler styler, ChartSpec spec) {
        frame(styler, spec);
        axes(styler, spec);
        if (spec.x().is(Kind.PERCENTILE)) {
            percentiles(styler, spec);
        }
        Double least = spec.y().least();
        if (least != null && spec.lowest() >= least) {
            styler.setYAxisMin(least);
        }
    }

    private static void frame(AxesChartStyler styler, ChartSpec spec) {
        Font text = new Font(Font.SANS_SERIF, Font.PLAIN, TEXT_SIZE);
        styler.setLocale(Locale.ROOT);
        styler.setDecimalPattern("#,##0.###");
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setChartFontColor(TEXT);
        styler.setChartTitleFont(text.deriveFont(Font.BOLD, TEXT_SIZE + 2f));
        styler.setChartTitleBoxVisible(false);
        styler.setChartTitleVisible(!spec.title().isEmpty());
        styler.setChartPadding(12);
        styler.setLegendVisible(spec.series().size() > 1);
        // a row of more names than that is wider than the picture
        boolean beside = spec.series().size() > NAMES_IN_A_ROW;
        styler.setLegendPosition(beside ? LegendPosition.OutsideE : LegendPosition.OutsideS);
        styler.setLegendLayout(beside ? LegendLayout.Vertical : LegendLayout.Horizontal);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setLegendFont(text);
        styler.setLegendPadding(6);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setAntiAlias(true);
        styler.setMarkerSize(7);
        styler.setErrorBarsColor(TEXT);
    }

    private static void axes(AxesChartStyler styler, ChartSpec spec) {
        Font text = new Font(Font.SANS_SERIF, Font.PLAIN, TEXT_SIZE);
        styler.setAxisTitleFont(text);
        styler.setAxisTickLabelsFont(text);
        styler.setAxisTickLabelsColor(TEXT);
        styler.setAxisTickMarksColor(GRID.darker());
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(new BasicStroke(1f));
        styler.setPlotGridVerticalLinesVisible(spec.x().logarithmic());
        styler.setPlotTicksMarksVisible(false);
        styler.setXAxisLogarithmic(spec.x().is(Kind.LOG));
        styler.setXAxisLogarithmicDecadeOnly(true);
        styler.setYAxisLogarithmic(spec.y().logarithmic());
        styler.setYAxisLogarithmicDecadeOnly(true);
        styler.setXAxisTickMarkSpacingHint(90);
        styler.setYAxisTickMarkSpacingHint(50);
    }

    /** XChart labels a logarithmic axis by no function of ours, so this one is linear in nines, a tick for each. */
    private static void percentiles(AxesChartStyler styler, ChartSpec spec) {
        double nines = Math.max(1, mostNines(spec));
        styler.setXAxisMin(0.0).setXAxisMax(nines);
        styler.setXAxisTickMarkSpacingHint((int) (0.8 * (spec.width() - 100) / nines));
        styler.setxAxisTickLabelsFormattingFunction(ChartStyle::percentile);
    }

    private static double mostNines(ChartSpec spec) {
        return spec.series().stream()
                .flatMap(series -> series.x().stream())
                .filter(x -> x != null && x >= 1 && !x.isInfinite())
                .mapToDouble(Math::log10)
                .max()
                .orElse(1);
    }

    /** The percentile of so many nines: 99.9 % of three. */
    static String percentile(double nines) {
        return number(100 * (1 - Math.pow(10, -nines))) + " %";
    }

    /** With separated thousands, and the digits it has: labels that were alike would have XChart try forever. */
    static String number(double value) {
        DecimalFormat format = new DecimalFormat("#,##0", DecimalFormatSymbols.getInstance(Locale.ROOT));
        format.setMaximumFractionDigits(12);
        return format.format(new BigDecimal(value).round(DIGITS));
    }
}
