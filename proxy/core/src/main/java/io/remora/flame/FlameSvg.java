package io.remora.flame;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;

/**
 * A flame graph as an image of 1,200 pixels, with search and zoom where scripts run. It requests nothing.
 *
 * <p>Bounds: frames narrower than half a pixel, 0.04 % of the samples, are left out.
 */
final class FlameSvg {
    private static final int WIDTH = 1_200;
    private static final int MARGIN = 10;
    private static final int HEAD = 58;
    private static final int ROW = 17;
    private static final int LEGEND = 96;
    private static final double LEAST_PIXELS = 0.5;
    private static final double CHAR_PIXELS = 6.6;
    private static final int HUNDREDTHS = 100;
    private static final double PERCENT = 100;
    private static final int LIGHT = 235;
    private static final int RANGE = 150;

    private final CallTree tree;
    private final Measure measure;
    private final Writer out;
    private final double scale;
    private final double most;
    private final int height;

    private FlameSvg(CallTree tree, Measure measure, Writer out) {
        this.tree = tree;
        this.measure = measure;
        this.out = out;
        scale = (WIDTH - 2.0 * MARGIN) / Math.max(1, tree.total(CallTree.NOW));
        most = tree.total(CallTree.BEFORE) == 0 ? 0 : mostGrowth(CallTree.ROOT);
        height = HEAD + (depth(CallTree.ROOT) + 1) * ROW + MARGIN;
    }

    static void write(CallTree tree, FlameHead head, Writer out) throws IOException {
        FlameSvg graph = new FlameSvg(tree, head.measure(), out);
        graph.head(head.title(), head.note());
        graph.node(CallTree.ROOT, 0, 0);
        out.append("<script><![CDATA[\n");
        try (BufferedReader script = Texts.open("flame-svg.js")) {
            for (String line = script.readLine(); line != null; line = script.readLine()) {
                out.append(line).append('\n');
            }
        }
        out.append("]]></script>\n</svg>\n");
    }

    private boolean isDrawn(int node) {
        return tree.total(node, CallTree.NOW) * scale >= LEAST_PIXELS;
    }

    private int depth(int node) {
        int depth = 0;
        for (int child : tree.children(node)) {
            depth = isDrawn(child) ? Math.max(depth, 1 + depth(child)) : depth;
        }
        return depth;
    }

    private double mostGrowth(int node) {
        double found = Math.abs(growth(node));
        for (int child : tree.children(node)) {
            found = isDrawn(child) ? Math.max(found, mostGrowth(child)) : found;
        }
        return found;
    }

    private double share(int node, int column) {
        long all = tree.total(column);
        return all == 0 ? 0 : (double) tree.total(node, column) / all;
    }

    private double growth(int node) {
        return share(node, CallTree.NOW) - share(node, CallTree.BEFORE);
    }

    private void head(String title, String note) throws IOException {
        String size = "width=\"" + WIDTH + "\" height=\"" + height + '"';
        out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" ")
                .append(size);
        out.append(" viewBox=\"0 0 ")
                .append(WIDTH + " " + height)
                .append("\" font-family=\"monospace\" font-size=\"11\">\n");
        out.append("<style>g.f { cursor: pointer } g.f:hover rect { stroke: #000 } .t rect { fill: #b9b9c6 }");
        out.append(" .j rect { fill: #7ccf7c } .v rect { fill: #e3c34a } .c rect { fill: #ef8a7a }");
        out.append(
                " .k rect { fill: #e8a04c } .y rect { fill: #7fb2e8 } .b { cursor: pointer; text-decoration: underline }</style>\n<title>");
        Texts.xml(title, out);
        out.append(
                "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"18\" font-size=\"15\">");
        Texts.xml(title, out);
        out.append("</text>\n<text x=\"10\" y=\"34\" fill=\"#555\">");
        Texts.xml(note, out);
        out.append("</text>\n<text id=\"search\" class=\"b\" x=\"10\" y=\"50\" style=\"display:none\">Search</text>\n");
        out.append("<text id=\"reset\" class=\"b\" x=\"70\" y=\"50\" style=\"display:none\">Reset zoom</text>\n");
        out.append("<text id=\"found\" x=\"160\" y=\"50\"></text>\n");
        legend();
    }

    private void legend() throws IOException {
        if (most > 0) {
            String now = tree.nameOf(CallTree.NOW);
            out.append("<text x=\"700\" y=\"50\" fill=\"#d33\">red: larger ")
                    .append(now)
                    .append("</text>");
            out.append("<text x=\"950\" y=\"50\" fill=\"#33d\">blue: smaller ")
                    .append(now)
                    .append("</text>\n");
            return;
        }
        int x = WIDTH / 2;
        for (FrameKind kind : FrameKind.values()) {
            out.append("<g class=\"")
                    .append(kind.letter)
                    .append("\"><rect x=\"" + x + "\" y=\"41\" width=\"10\" height=\"10\"/>");
            out.append("<text x=\"" + (x + 2 * MARGIN) + "\" y=\"50\">")
                    .append(label(kind))
                    .append("</text></g>\n");
            x += LEGEND;
        }
    }

    private static String label(FrameKind kind) {
        return switch (kind) {
            case THREAD -> "thread";
            case JAVA -> "Java";
            case VM -> "VM";
            case NATIVE -> "C";
            case KERNEL -> "kernel";
            case TYPE -> "class";
        };
    }

    private void node(int node, int depth, long left) throws IOException {
        Frame frame = node == CallTree.ROOT ? new Frame("all", FrameKind.THREAD) : tree.frameAt(tree.frameOf(node));
        long samples = tree.total(node, CallTree.NOW);
        double x = MARGIN + left * scale;
        double width = samples * scale;
        int y = height - MARGIN - (depth + 1) * ROW;
        out.append("<g class=\"f ")
                .append(frame.kind().letter)
                .append("\" data-x=\"" + left + "\" data-w=\"" + samples);
        out.append("\" data-n=\"");
        Texts.xml(frame.name(), out);
        out.append("\"><title>");
        Texts.xml(frame.name(), out);
        out.append(" (").append(measure.text(samples) + ", " + percent(share(node, CallTree.NOW)));
        if (most > 0) {
            out.append(", ")
                    .append(tree.nameOf(CallTree.BEFORE))
                    .append(' ')
                    .append(percent(share(node, CallTree.BEFORE)));
        }
        out.append(")</title><rect x=\"")
                .append(pixels(x))
                .append("\" y=\"" + y + "\" width=\"")
                .append(pixels(width));
        out.append("\" height=\"" + (ROW - 1) + "\" rx=\"2\"").append(most > 0 ? fill(growth(node)) : "");
        out.append("/><text x=\"").append(pixels(x + 2)).append("\" y=\"" + (y + 12) + "\">");
        Texts.xml(cut(frame.name(), (int) ((width - 4) / CHAR_PIXELS)), out);
        out.append("</text></g>\n");
        long from = left;
        for (int child : tree.children(node)) {
            if (isDrawn(child)) {
                node(child, depth + 1, from);
            }
            from += tree.total(child, CallTree.NOW);
        }
    }

    private String fill(double growth) {
        int rest = (int) (LIGHT - RANGE * Math.sqrt(Math.abs(growth) / most));
        String two = rest + "," + rest;
        return " style=\"fill:rgb(" + (growth > 0 ? "255," + two : two + ",255") + ")\"";
    }

    private static String cut(String name, int room) {
        if (room < 3) {
            return "";
        }
        return name.length() <= room ? name : name.substring(0, room - 2) + "..";
    }

    private static String pixels(double value) {
        long hundredths = Math.round(value * HUNDREDTHS);
        long rest = hundredths % HUNDREDTHS;
        return hundredths / HUNDREDTHS + (rest < 10 ? ".0" : ".") + rest;
    }

    private static String percent(double share) {
        return pixels(share * PERCENT) + " %";
    }
}
