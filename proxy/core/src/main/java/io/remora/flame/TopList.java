package io.remora.flame;

import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.Comparator;

/** The frames that most samples were in, or whose share has grown most since an earlier profile. */
public final class TopList implements Comparator<Integer> {
    private static final int ROWS = 25;
    private static final double PERCENT = 100;
    private static final int TENTHS = 10;

    private final CallTree tree;
    private final Measure measure;
    private final long[][] self = new long[2][];
    private final long[][] total = new long[2][];
    /** How often a frame is on the path that is walked: only its outermost node counts. */
    private final int[] open;

    private TopList(CallTree tree, Measure measure) {
        this.tree = tree;
        this.measure = measure;
        open = new int[tree.frames()];
        for (int column = 0; column < 2; column++) {
            self[column] = new long[tree.frames()];
            total[column] = new long[tree.frames()];
        }
        walk(CallTree.ROOT);
    }

    private void walk(int node) {
        for (int child : tree.children(node)) {
            int frame = tree.frameOf(child);
            for (int column = 0; column < 2; column++) {
                self[column][frame] += tree.self(child, column);
                total[column][frame] += open[frame] == 0 ? tree.total(child, column) : 0;
            }
            open[frame]++;
            walk(child);
            open[frame]--;
        }
    }

    /** Writes a table of 25 rows: of the profile alone, or by growth if the tree has an earlier profile as well. */
    public static void write(CallTree tree, Measure measure, Writer out) throws IOException {
        TopList list = new TopList(tree, measure);
        if (tree.total(CallTree.BEFORE) == 0) {
            list.writeTop(out);
        } else {
            list.writeGrowth(out);
        }
    }

    private void writeTop(Writer out) throws IOException {
        out.append(measure.unit).append(' ').append(Long.toString(tree.total(CallTree.NOW)));
        out.append("\n  self   total  frame\n");
        Integer[] order = order();
        Arrays.sort(order, this);
        for (int i = 0; i < Math.min(ROWS, order.length) && self[CallTree.NOW][order[i]] > 0; i++) {
            int frame = order[i];
            row(out, share(self, frame, CallTree.NOW), share(total, frame, CallTree.NOW), frame);
        }
    }

    private void writeGrowth(Writer out) throws IOException {
        out.append(measure.unit).append(' ').append(Long.toString(tree.total(CallTree.BEFORE)));
        out.append(' ').append(tree.nameOf(CallTree.BEFORE));
        out.append(", ").append(Long.toString(tree.total(CallTree.NOW)));
        out.append(' ').append(tree.nameOf(CallTree.NOW));
        out.append("; self and total in percentage points\n  self   total  frame\n");
        Integer[] order = order();
        Arrays.sort(order, this);
        int shown = 0;
        for (int i = 0; i < order.length && shown < ROWS && growth(self, order[i]) > 0; i++, shown++) {
            row(out, growth(self, order[i]), growth(total, order[i]), order[i]);
        }
    }

    /** Puts the frame with the largest share, or the largest growth, first. */
    @Override
    public int compare(Integer one, Integer other) {
        return Double.compare(growth(self, other), growth(self, one));
    }

    private Integer[] order() {
        Integer[] order = new Integer[tree.frames()];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
        return order;
    }

    private double growth(long[][] of, int frame) {
        return share(of, frame, CallTree.NOW) - share(of, frame, CallTree.BEFORE);
    }

    private double share(long[][] of, int frame, int column) {
        long all = tree.total(column);
        return all == 0 ? 0 : PERCENT * of[column][frame] / all;
    }

    private void row(Writer out, double first, double second, int frame) throws IOException {
        out.append(number(first)).append("  ").append(number(second)).append("  ");
        out.append(tree.frameAt(frame).name()).append('\n');
    }

    /** Returns a number with one decimal, six characters wide. */
    private static String number(double value) {
        long tenths = Math.round(Math.abs(value) * TENTHS);
        String text = (value < 0 && tenths > 0 ? "-" : "") + tenths / TENTHS + '.' + tenths % TENTHS;
        return " ".repeat(Math.max(0, 6 - text.length())) + text;
    }
}
