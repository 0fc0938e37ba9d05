package io.remora.compilelog;

import java.util.ArrayList;
import java.util.List;

/** A table of the report: a title, a sentence on what it shows, and rows. */
final class ReportSection {
    final String title;
    final String note;
    /** Empty for pairs of a name and a value. */
    final List<String> headers;

    final List<List<String>> rows = new ArrayList<>();
    private final int texts;

    /**
     * Creates a table without rows.
     *
     * @param texts the last columns, which have text instead of numbers
     */
    ReportSection(String title, String note, int texts, String... headers) {
        this.title = title;
        this.note = note;
        this.texts = texts;
        this.headers = List.of(headers);
    }

    void row(String... cells) {
        rows.add(List.of(cells));
    }

    /** Returns whether the column has numbers, which are aligned to the right. */
    boolean isNumber(int column) {
        return column < headers.size() - texts;
    }
}
