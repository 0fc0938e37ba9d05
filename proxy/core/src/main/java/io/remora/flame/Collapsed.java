package io.remora.flame;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;

/**
 * Collapsed stacks: a line per stack, with its frames from the root to the leaf between semicolons, a space and the number
 * of samples. flamegraph.pl, speedscope and async-profiler's converters read this format. A frame ends with the suffix of its
 * {@link FrameKind}.
 */
public final class Collapsed {
    /** Frames of a stack; further ones, towards the leaf, are left out. */
    static final int MAX_DEPTH = 512;

    private static final int MAX_LINE_CHARS = 1 << 20;
    private static final long MAX_COUNT = 1L << 50;

    private Collapsed() {}

    /** Writes the column of the profile. */
    public static void write(CallTree tree, Writer out) throws IOException {
        write(tree, CallTree.ROOT, new StringBuilder(), out);
    }

    private static void write(CallTree tree, int node, StringBuilder path, Writer out) throws IOException {
        long self = tree.self(node, CallTree.NOW);
        if (self > 0 && node != CallTree.ROOT) {
            out.append(path).append(' ').append(Long.toString(self)).append('\n');
        }
        int length = path.length();
        for (int child : tree.children(node)) {
            Frame frame = tree.frameAt(tree.frameOf(child));
            path.append(length == 0 ? "" : ";").append(frame.name()).append(frame.kind().suffix);
            write(tree, child, path, out);
            path.setLength(length);
        }
    }

    /**
     * Reads a file into a column of a tree.
     *
     * @throws IOException with the line's number where a line is malformed
     */
    public static void read(BufferedReader in, String file, CallTree tree, int column) throws IOException {
        int[] path = new int[MAX_DEPTH];
        int number = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            int end = line.lastIndexOf(' ');
            long count = end <= 0 || line.length() > MAX_LINE_CHARS ? 0 : count(line, end + 1);
            if (count <= 0) {
                throw new IOException(file + ':' + number
                        + ": not a stack; a line has frames between semicolons, a space," + " and a count of samples");
            }
            tree.add(path, split(line.substring(0, end), tree, path), count, column);
        }
    }

    private static int split(String stack, CallTree tree, int[] path) {
        int depth = 0;
        int from = 0;
        while (from <= stack.length() && depth < MAX_DEPTH) {
            int semicolon = stack.indexOf(';', from);
            int to = semicolon < 0 ? stack.length() : semicolon;
            if (to > from) {
                String text = stack.substring(from, to);
                path[depth] = tree.frame(Frame.of(FrameKind.name(text), FrameKind.of(text, depth == 0)));
                depth++;
            }
            from = to + 1;
        }
        return depth;
    }

    private static long count(String line, int from) {
        long count = 0;
        for (int i = from; i < line.length(); i++) {
            int digit = line.charAt(i) - '0';
            if (digit < 0 || digit > 9 || count > MAX_COUNT) {
                return 0;
            }
            count = 10 * count + digit;
        }
        return count;
    }
}
