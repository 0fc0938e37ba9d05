package io.remora.metrics;

import io.remora.metrics.Exemplars.Exemplar;
import io.remora.text.Hex;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The OpenMetrics text format, 1.0, in which the buckets of a listener's histograms name a trace each. Loaded only
 * where a client requests it.
 *
 * <p>Owner: one scrape. Spec: OpenMetrics 1.0. There are no created lines: scrapers tell a restart by the process's
 * start time.
 */
final class OpenMetricsText extends PrometheusText {
    private static final double NS_PER_SECOND = 1e9;
    private static final String TOTAL = "_total";
    private static final String INFO = "_info";
    private static final String[] UNITS = {"seconds", "bytes"};

    private final StringBuilder out;
    private final List<ListenerStats> listeners;
    private final Set<String> families = new HashSet<>();

    private OpenMetricsText(StringBuilder out, List<ListenerStats> listeners) {
        super(out);
        this.out = out;
        this.listeners = listeners;
    }

    /** Returns the text as its superclass: a writer of either form need not load this class to be verified. */
    static PrometheusText of(StringBuilder out, Stats stats) {
        return new OpenMetricsText(out, stats.listeners());
    }

    @Override
    void family(Metric metric) {
        Family family = metric.family();
        boolean info = family.name.endsWith(INFO);
        String name = without(family.name, info ? INFO : TOTAL);
        if (families.add(name)) {
            append("# TYPE ", name, info ? "info" : family.type);
        } else {
            // a gauge has that name, and a counter's family would be the same
            name = family.name;
            append("# TYPE ", name, "unknown");
        }
        for (String unit : UNITS) {
            if (name.endsWith(unit) && name.charAt(name.length() - unit.length() - 1) == '_') {
                append("# UNIT ", name, unit);
            }
        }
        append("# HELP ", name, family.help);
    }

    private static String without(String name, String ending) {
        return name.endsWith(ending) ? name.substring(0, name.length() - ending.length()) : name;
    }

    private void append(String what, String name, String text) {
        out.append(what).append(name).append(' ').append(text).append('\n');
    }

    /** Returns the bound as a floating-point number in its canonical form, by which scrapers compare it. */
    @Override
    String bound(int bucket) {
        String bound = super.bound(bucket);
        if (bound.equals("0.00005")) {
            return "5e-05";
        }
        return bucket == PrometheusText.BUCKETS || bound.indexOf('.') >= 0 ? bound : bound + ".0";
    }

    @Override
    void bucket(Metric metric, String listener, int bucket, long below) {
        Exemplar exemplar = below == 0 ? null : newest(metric, listener, bucket);
        if (exemplar == null) {
            super.bucket(metric, listener, bucket, below);
            return;
        }
        closeLabels();
        out.append(below)
                .append(" # {trace_id=\"")
                .append(Hex.text(exemplar.traceHigh, exemplar.traceLow))
                .append("\"} ");
        out.append(exemplar.durationNs / NS_PER_SECOND).append(' ').append(exemplar.atMs / 1_000);
        out.append('.')
                .append(Long.toString(1_000 + exemplar.atMs % 1_000), 1, 4)
                .append('\n');
    }

    // of all loops
    private @Nullable Exemplar newest(Metric metric, String listener, int bucket) {
        Exemplar newest = null;
        for (ListenerStats stats : listeners) {
            Exemplars kept = stats.listener.equals(listener) ? stats.keptExemplars() : null;
            Exemplar one = kept == null ? null : kept.last(metric, bucket);
            if (one != null && (newest == null || one.atMs > newest.atMs)) {
                newest = one;
            }
        }
        return newest;
    }

    @Override
    void end() {
        out.append("# EOF\n");
    }
}
