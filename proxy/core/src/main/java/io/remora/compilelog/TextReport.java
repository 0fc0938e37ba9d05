package io.remora.compilelog;

import java.util.List;

/** The report as text, with aligned columns. */
final class TextReport {
    private static final String GAP = "  ";

    private TextReport() {}

    static String of(List<ReportSection> sections) {
        StringBuilder out = new StringBuilder();
        for (ReportSection section : sections) {
            append(section, out);
        }
        return out.toString();
    }

    private static void append(ReportSection section, StringBuilder out) {
        out.append(out.length() == 0 ? "" : "\n").append(section.title).append('\n');
        out.append(section.note).append('\n');
        int columns = section.headers.isEmpty() ? 2 : section.headers.size();
        int[] widths = new int[columns];
        widen(widths, section.headers);
        for (List<String> row : section.rows) {
            widen(widths, row);
        }
        if (!section.headers.isEmpty()) {
            append(section, section.headers, widths, out);
        }
        for (List<String> row : section.rows) {
            append(section, row, widths, out);
        }
    }

    private static void widen(int[] widths, List<String> cells) {
        for (int i = 0; i < cells.size(); i++) {
            widths[i] = Math.max(widths[i], printable(cells.get(i)).length());
        }
    }

    private static void append(ReportSection section, List<String> cells, int[] widths, StringBuilder out) {
        int last = cells.size() - 1;
        for (int i = 0; i <= last; i++) {
            String cell = printable(cells.get(i));
            String pad = " ".repeat(widths[i] - cell.length());
            out.append(GAP);
            if (section.isNumber(i)) {
                out.append(pad).append(cell);
            } else {
                out.append(cell).append(i == last ? "" : pad);
            }
        }
        out.append('\n');
    }

    /** Returns a text without the control characters by which a forged log could drive a terminal. */
    private static String printable(String cell) {
        for (int i = 0; i < cell.length(); i++) {
            if (Character.isISOControl(cell.charAt(i))) {
                return replaced(cell);
            }
        }
        return cell;
    }

    private static String replaced(String cell) {
        StringBuilder out = new StringBuilder(cell);
        for (int i = 0; i < out.length(); i++) {
            if (Character.isISOControl(out.charAt(i))) {
                out.setCharAt(i, '?');
            }
        }
        return out.toString();
    }
}
