package io.remora.metrics;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sums over the event loops: a row of numbers for each value of the labels, in the order in which these came up.
 *
 * <p>Owner: one scrape.
 */
final class Rows {
    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final int columns;

    /** The numbers of one series in several families. */
    static final class Row {
        final String first;
        final String second;
        final long[] sums;

        Row(String first, String second, int columns) {
            this.first = first;
            this.second = second;
            sums = new long[columns];
        }
    }

    Rows(int columns) {
        this.columns = columns;
    }

    Row row(String first, String second) {
        String key = first + '\n' + second;
        Row row = rows.get(key);
        if (row == null) {
            row = new Row(first, second, columns);
            rows.put(key, row);
        }
        return row;
    }

    Iterable<Row> all() {
        return rows.values();
    }

    /** A family for each column, with one label, and with a second one where it has a name. */
    void write(PrometheusText out, Metric[] families, String firstLabel, String secondLabel) {
        if (rows.isEmpty()) {
            return;
        }
        for (int i = 0; i < families.length; i++) {
            Metric family = families[i];
            out.family(family);
            for (Row row : rows.values()) {
                out.sample(family, "").label(firstLabel, row.first);
                if (!secondLabel.isEmpty()) {
                    out.label(secondLabel, row.second);
                }
                out.value(row.sums[i]);
            }
        }
    }
}
