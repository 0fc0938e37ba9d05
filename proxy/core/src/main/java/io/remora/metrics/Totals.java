package io.remora.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums over the event loops: a row of numbers for each listener or endpoint, in the order in which these came up.
 *
 * <p>Owner: one scrape.
 */
final class Totals {
    private static final double MS_PER_SECOND = 1_000;

    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** The sums of one listener or endpoint. */
    static final class Row {
        /** Stands for all that share the row, for what they have in common. */
        final Counts<?> one;

        private final long[][] sums;

        Row(Counts<?> one) {
            this.one = one;
            this.sums = one.read();
        }

        void add(long[][] numbers) {
            for (int i = 0; i < sums.length; i++) {
                for (int j = 0; j < sums[i].length; j++) {
                    sums[i][j] += numbers[i][j];
                }
            }
        }

        long value(Metric line) {
            Metric[] terms = line.family().terms();
            return terms.length == 0 ? sums[line.ordinal()][0] : difference(terms);
        }

        // a connection may leave the pool and close between two reads, so that the third term is too large
        private long difference(Metric[] terms) {
            long left = value(terms[0]);
            for (int i = 1; i < terms.length; i++) {
                left -= value(terms[i]);
            }
            return Math.max(0, left);
        }
    }

    private Totals() {}

    static Totals of(List<? extends Counts<?>> all) {
        Totals totals = new Totals();
        for (Counts<?> counts : all) {
            String key = String.join("\n", counts.scope());
            Row row = totals.rows.get(key);
            if (row == null) {
                totals.rows.put(key, new Row(counts));
            } else {
                row.add(counts.read());
            }
        }
        return totals;
    }

    Iterable<Row> rows() {
        return rows.values();
    }

    /** Every line of the table but the histograms; nothing where there is no row. */
    void write(PrometheusText out, Metric[] table) {
        for (Metric line : table) {
            if (!line.family().isHistogram() && !rows.isEmpty()) {
                out.family(line);
                for (Row row : rows.values()) {
                    write(out, line, row);
                }
            }
        }
    }

    private static void write(PrometheusText out, Metric line, Row row) {
        String[] scope = row.one.scope();
        if (!line.family().isCountedByLabel()) {
            value(out.sample(line, scope), line, row.value(line));
            return;
        }
        String label = line.family().labels()[scope.length];
        String[] values = row.one.values(line);
        long[] numbers = row.sums[line.ordinal()];
        for (int i = 0; i < values.length; i++) {
            value(out.sample(line, scope).label(label, values[i]), line, numbers[i]);
        }
    }

    private static void value(PrometheusText out, Metric line, long value) {
        if (line.family().isInMilliseconds()) {
            out.value(value / MS_PER_SECOND);
        } else {
            out.value(value);
        }
    }
}
