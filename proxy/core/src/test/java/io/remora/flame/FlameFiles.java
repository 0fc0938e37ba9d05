package io.remora.flame;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;

/** Trees from text, and text from trees. */
final class FlameFiles {
    private FlameFiles() {}

    static CallTree tree(String... lines) {
        return tree(1_000, lines);
    }

    static CallTree tree(int nodes, String... lines) {
        CallTree tree = new CallTree(nodes);
        add(tree, CallTree.NOW, lines);
        return tree;
    }

    static void add(CallTree tree, int column, String... lines) {
        try {
            Collapsed.read(new BufferedReader(new StringReader(String.join("\n", lines))), "test", tree, column);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static byte[] bytes(CallTree tree, FlameFormat format) throws IOException {
        return bytes(tree, format, Measure.CPU);
    }

    static byte[] bytes(CallTree tree, FlameFormat format, Measure measure) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        format.write(tree, new FlameHead("a title", "a note", measure, 10_000_000, 1_000, 0), out);
        return out.toByteArray();
    }

    static String text(CallTree tree, FlameFormat format) throws IOException {
        return new String(bytes(tree, format), StandardCharsets.UTF_8);
    }
}
