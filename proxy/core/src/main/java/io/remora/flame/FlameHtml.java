package io.remora.flame;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;

/**
 * A flame graph as one page with search and zoom, which requests nothing. A tree with an earlier profile is coloured by
 * growth, red, and by decline, blue.
 */
final class FlameHtml {
    private static final String MARK = "/*DATA*/;";

    private FlameHtml() {}

    static void write(CallTree tree, FlameHead head, Writer out) throws IOException {
        try (BufferedReader page = Texts.open("flame.html")) {
            for (String line = page.readLine(); line != null; line = page.readLine()) {
                if (line.equals(MARK)) {
                    data(tree, head, out);
                } else {
                    out.append(line).append('\n');
                }
            }
        }
    }

    private static void data(CallTree tree, FlameHead head, Writer out) throws IOException {
        out.append("{title: ");
        Texts.json(head.title(), out);
        out.append(", note: ");
        Texts.json(head.note(), out);
        out.append(", unit: ");
        Texts.json(head.measure().unit, out);
        out.append(", total: ").append(Long.toString(tree.total(CallTree.NOW)));
        out.append(", before: ").append(Long.toString(tree.total(CallTree.BEFORE)));
        out.append(", columns: [");
        Texts.json(tree.nameOf(CallTree.NOW), out);
        out.append(", ");
        Texts.json(tree.nameOf(CallTree.BEFORE), out);
        out.append(']');
        out.append(",\nkinds: \"");
        for (int i = 0; i < tree.frames(); i++) {
            out.append(tree.frameAt(i).kind().letter);
        }
        out.append("\",\nnames: [");
        for (int i = 0; i < tree.frames(); i++) {
            out.append(i == 0 ? "\n" : ",\n");
            Texts.json(tree.frameAt(i).name(), out);
        }
        out.append("],\nnodes: [");
        node(tree, CallTree.ROOT, 0, out);
        out.append("]};\n");
    }

    /** Writes depth, frame, samples and earlier samples of a node, and then its children. */
    private static void node(CallTree tree, int node, int depth, Writer out) throws IOException {
        out.append(node == CallTree.ROOT ? "" : ",\n").append(Integer.toString(depth));
        out.append(',').append(Integer.toString(node == CallTree.ROOT ? -1 : tree.frameOf(node)));
        out.append(',').append(Long.toString(tree.total(node, CallTree.NOW)));
        out.append(',').append(Long.toString(tree.total(node, CallTree.BEFORE)));
        for (int child : tree.children(node)) {
            // a node that the profile no longer has would have no width
            if (tree.total(child, CallTree.NOW) > 0) {
                node(tree, child, depth + 1, out);
            }
        }
    }
}
