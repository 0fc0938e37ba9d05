package io.remora.compilelog;

import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The time line of the page: a panel for each number, one above the other, with the storms across all of them. */
final class TimelineSvg {
    private static final int LEFT = 60;
    private static final int WIDTH = 1_000;
    private static final int PANEL = 84;
    private static final int GAP = 26;
    private static final int TICKS = 10;
    private static final double MS = 1_000;
    private static final double NS_PER_MS = 1e6;
    /** The latencies at the bottom and at the top of their panel, which is logarithmic. */
    private static final double LEAST_MS = 0.1;

    private static final int DECADES = 5;

    private final CompileReport report;
    private final TimelineColumns columns;
    private final StringBuilder out;
    private int top;

    private TimelineSvg(CompileReport report, StringBuilder out) {
        this.report = report;
        this.out = out;
        columns = new TimelineColumns(report);
    }

    /** A part of a stacked column: its class of CSS, its name, and its value. */
    private record Part(String style, String name, ToDoubleFunction<Second> value) {
        static Part of(String style, String name, Count count) {
            return new Part(style, name, second -> second.get(count));
        }
    }

    static void append(CompileReport report, StringBuilder out) {
        new TimelineSvg(report, out).append();
    }

    private void append() {
        boolean hasLatency = report.latency() != null;
        int panels = hasLatency ? 7 : 6;
        int height = panels * (PANEL + GAP) + GAP;
        out.append("<svg viewBox=\"0 0 ").append(LEFT + WIDTH + 10).append(' ').append(height);
        out.append("\" role=\"img\" aria-label=\"Time line; the tables below have its numbers\">\n");
        storms(height - GAP);
        if (hasLatency) {
            latency();
        }
        double ms = MS * columns.width;
        panel("Tasks waiting for a compile thread", new Part("b", "at most", Second::waiting));
        panel("Longest wait, s", new Part("b", "wait", second -> second.longestWaitMs() / MS));
        panel(
                "Busy compile threads",
                new Part("a", "C1", second -> second.get(Count.C1_BUSY_MS) / ms),
                new Part("b", "C2", second -> second.get(Count.C2_BUSY_MS) / ms));
        panel(
                "Installed code",
                Part.of("c", "level 1", Count.LEVEL_1),
                Part.of("e", "level 2", Count.LEVEL_2),
                Part.of("a", "level 3", Count.LEVEL_3),
                Part.of("b", "level 4", Count.LEVEL_4));
        panel("Size of installed code, kB", new Part("c", "code", second -> second.get(Count.CODE_BYTES) / MS));
        panel(
                "Invalidated code",
                Part.of("d", "deoptimizations", Count.DEOPTIMIZED),
                Part.of("e", "made not entrant", Count.NOT_ENTRANT));
        axis();
        hits(height - GAP);
        out.append("</svg>\n");
    }

    private double x(long second) {
        double place = (second - columns.start) / (columns.width * columns.count);
        return LEFT + WIDTH * Math.max(0, Math.min(1, place));
    }

    private double columnX(int column) {
        return LEFT + (double) WIDTH * column / columns.count;
    }

    private void storms(int height) {
        for (Storm storm : report.storms()) {
            double from = x(storm.total.start);
            rect("storm", from, 0, Math.max(1, x(storm.end()) - from), height);
        }
    }

    private void rect(String style, double x, double y, double width, double height) {
        out.append("<rect class=\"").append(style).append("\" x=\"");
        number(x);
        out.append("\" y=\"");
        number(y);
        out.append("\" width=\"");
        number(width);
        out.append("\" height=\"");
        number(height);
        out.append("\"/>\n");
    }

    /** Appends a number with two decimals at most. */
    private void number(double number) {
        long hundredths = Math.round(number * 100);
        out.append(hundredths / 100);
        if (hundredths % 100 != 0) {
            out.append('.').append(hundredths / 10 % 10).append(hundredths % 10);
        }
    }

    private void text(String style, double x, double y, String anchor, String text) {
        out.append("<text class=\"").append(style).append("\" x=\"");
        number(x);
        out.append("\" y=\"");
        number(y);
        out.append("\" text-anchor=\"").append(anchor).append("\">");
        HtmlText.append(text, out);
        out.append("</text>\n");
    }

    private void line(double y) {
        out.append("<path class=\"axis\" d=\"M").append(LEFT).append(' ');
        number(y);
        out.append('h').append(WIDTH).append("\"/>\n");
    }

    /** Begins a panel: its title, and its legend if it has several parts. */
    private void begin(String title, Part... parts) {
        top += GAP;
        text("name", LEFT, top - 6.0, "start", title);
        double x = LEFT + 260.0;
        for (Part part : parts) {
            if (parts.length > 1) {
                rect(part.style(), x, top - 15.0, 10, 10);
                text("", x + 14, top - 6.0, "start", part.name());
                x += 120;
            }
        }
    }

    private void panel(String title, Part... parts) {
        begin(title, parts);
        double most = 0;
        for (int i = 0; i < columns.count; i++) {
            most = Math.max(most, sum(columns.get(i), parts));
        }
        for (int i = 0; i < columns.count && most > 0; i++) {
            Second second = columns.get(i);
            double y = top + (double) PANEL;
            for (Part part : parts) {
                double height = second == null ? 0 : part.value().applyAsDouble(second) / most * PANEL;
                if (height > 0) {
                    y -= height;
                    rect(part.style(), columnX(i), y, columnX(i + 1) - columnX(i), height);
                }
            }
        }
        text("", LEFT - 6.0, top + 9.0, "end", scale(most));
        end();
    }

    private static double sum(@Nullable Second second, Part... parts) {
        double sum = 0;
        for (Part part : parts) {
            sum += second == null ? 0 : part.value().applyAsDouble(second);
        }
        return sum;
    }

    private static String scale(double most) {
        return most == Math.rint(most) || most >= 100
                ? Figures.grouped((long) most)
                : Figures.tenths(Math.round(most * 10), 10);
    }

    private void end() {
        top += PANEL;
        line(top);
    }

    private void latency() {
        begin("Latency, ms", new Part("a", "maximum", second -> 0), new Part("d", "p99", second -> 0));
        for (int i = 0; i < columns.count; i++) {
            bar("a", i, columns.maxNs(i));
            bar("d", i, columns.p99Ns(i));
        }
        double value = LEAST_MS;
        for (int decade = 0; decade <= DECADES; decade++) {
            double y = top + PANEL - (double) PANEL * decade / DECADES;
            line(y);
            text("", LEFT - 6.0, y + 4, "end", value < 1 ? "0.1" : Figures.grouped(Math.round(value)));
            value *= 10;
        }
        end();
    }

    private void bar(String style, int column, long ns) {
        double height = Math.log10(ns / NS_PER_MS / LEAST_MS) / DECADES * PANEL;
        if (ns > 0 && height > 0) {
            double shown = Math.min(PANEL, height);
            rect(style, columnX(column), top + PANEL - shown, columnX(column + 1) - columnX(column), shown);
        }
    }

    private void axis() {
        double span = columns.width * columns.count;
        long step = Math.max(1, Math.round(span / TICKS));
        for (long second = columns.start; second <= columns.start + span; second += step) {
            text("", x(second), top + 14.0, "middle", Figures.grouped(second));
        }
    }

    /** Adds the numbers of each column, which a browser shows at the pointer. */
    private void hits(int height) {
        for (int i = 0; i < columns.count; i++) {
            Second second = columns.get(i);
            if (second == null && columns.maxNs(i) == 0) {
                continue;
            }
            out.append("<g><title>");
            HtmlText.append(title(i, second), out);
            out.append("</title>");
            rect("hit", columnX(i), 0, columnX(i + 1) - columnX(i), height);
            out.append("</g>\n");
        }
    }

    private String title(int column, @Nullable Second second) {
        StringBuilder title = new StringBuilder();
        title.append(Figures.grouped(columns.second(column))).append(" s");
        if (columns.maxNs(column) > 0) {
            title.append(", p99 ").append(Figures.ms(columns.p99Ns(column))).append(" ms, maximum ");
            title.append(Figures.ms(columns.maxNs(column))).append(" ms");
        }
        if (second == null) {
            return title.toString();
        }
        for (Count count : Count.values()) {
            if (count.isShown() && second.get(count) > 0) {
                title.append(", ")
                        .append(count.key.replace('_', ' '))
                        .append(' ')
                        .append(second.get(count));
            }
        }
        title.append(", waiting ").append(second.waiting());
        for (MadeCode code : second.largest()) {
            title.append(", ")
                    .append(code.method())
                    .append(" (level ")
                    .append(code.level())
                    .append(')');
        }
        return title.toString();
    }
}
