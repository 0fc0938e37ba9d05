package io.remora.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one table: a row of numbers for each listener or endpoint, summed over the event loops, in the order in which
 * these came up.
 *
 * <p>Owner: one scrape. Cost: few rows are read at once, so that their numbers fit one another; of many, each number is read
 * when it is written, and a row takes some 30 bytes.
 */
final class Totals {
    private static final double MS_PER_SECOND = 1_000;
    /** Rows whose numbers are kept for the whole scrape. */
    private static final int MOST_KEPT = 256;

    private final List<Row> rows = new ArrayList<>();

    /** One listener or endpoint on one event loop, with the counts of others for the same series. */
    static final class Row {
        /** The counts that stand for all in the row, with the labels that they share. */
        final Counts<?> one;

        private @Nullable Row beside;
        /** The row's sums; null where each number is read on demand. */
        private long @Nullable [][] sums;

        Row(Counts<?> one) {
            this.one = one;
        }

        private void add(Counts<?> counts) {
            Row more = new Row(counts);
            more.beside = beside;
            beside = more;
        }

        private void read() {
            long[][] all = one.read();
            for (Row other = beside; other != null; other = other.beside) {
                long[][] numbers = other.one.read();
                for (int i = 0; i < all.length; i++) {
                    for (int j = 0; j < all[i].length; j++) {
                        all[i][j] += numbers[i][j];
                    }
                }
            }
            sums = all;
        }

        /** The next one that counts for the same series, null behind the last. */
        @Nullable
        Row beside() {
            return beside;
        }

        long value(Metric line) {
            Metric[] terms = line.family().terms();
            return terms.length == 0 ? value(line, 0) : difference(terms);
        }

        private long value(Metric line, int label) {
            if (sums != null) {
                return sums[line.ordinal()][label];
            }
            long sum = 0;
            for (Row row = this; row != null; row = row.beside) {
                sum += row.one.value(line.ordinal(), label);
            }
            return sum;
        }

        // what ends is read before what begins; a connection may leave the pool and close between two reads all the
        // same
        private long difference(Metric[] terms) {
            long less = 0;
            for (int i = terms.length - 1; i > 0; i--) {
                less += value(terms[i]);
            }
            return Math.max(0, value(terms[0]) - less);
        }
    }

    private Totals() {}

    static Totals of(List<? extends Counts<?>> all) {
        Totals totals = new Totals();
        // by the hash of the scope: places among the rows from 1 on, 0 for none
        int[] places = new int[Integer.highestOneBit(Math.max(1, all.size())) * 4];
        for (Counts<?> counts : all) {
            totals.add(counts, places);
        }
        if (totals.rows.size() <= MOST_KEPT) {
            for (Row row : totals.rows) {
                row.read();
            }
        }
        return totals;
    }

    private void add(Counts<?> counts, int[] places) {
        int hash = Arrays.hashCode(counts.scope());
        int at = (hash ^ hash >>> 16) & places.length - 1;
        while (places[at] != 0) {
            Row row = rows.get(places[at] - 1);
            if (row.one.sharesSeriesWith(counts)) {
                row.add(counts);
                return;
            }
            at = at + 1 & places.length - 1;
        }
        rows.add(new Row(counts));
        places[at] = rows.size();
    }

    List<Row> rows() {
        return rows;
    }

    /** Adds every line of a table but the histograms to a page. */
    static void write(MetricsPage page, List<? extends Counts<?>> all, Metric[] table) {
        page.add(new Writing(of(all).rows, table));
    }

    /** The progress in writing one table. */
    static final class Writing implements MetricsPage.Part {
        private final List<Row> rows;
        private final Metric[] table;
        private int line;
        private int row;

        private Writing(List<Row> rows, Metric[] table) {
            this.rows = rows;
            this.table = table;
        }

        @Override
        public boolean writeSome(PrometheusText out) {
            while (line < table.length
                    && (rows.isEmpty() || table[line].family().isHistogram())) {
                line++;
            }
            if (line == table.length) {
                return false;
            }
            if (row == 0) {
                out.family(table[line]);
            }
            write(out, table[line], rows.get(row++));
            if (row == rows.size()) {
                row = 0;
                line++;
            }
            return true;
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
        for (int i = 0; i < values.length; i++) {
            value(out.sample(line, scope).label(label, values[i]), line, row.value(line, i));
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
