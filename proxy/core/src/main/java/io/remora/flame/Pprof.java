package io.remora.flame;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A profile for pprof: a gzipped protobuf message. A frame is a function with one location, the first frame of a stack is its
 * thread. Spec: proto/profile.proto of github.com/google/pprof.
 */
final class Pprof {
    // fields of Profile
    private static final int SAMPLE_TYPE = 1;
    private static final int SAMPLE = 2;
    private static final int LOCATION = 4;
    private static final int FUNCTION = 5;
    private static final int STRING_TABLE = 6;
    private static final int TIME_NANOS = 9;
    private static final int PERIOD_TYPE = 11;
    private static final int PERIOD = 12;
    private static final int COMMENT = 13;
    // fields of its parts
    private static final int TYPE = 1;
    private static final int UNIT = 2;
    private static final int SAMPLE_LOCATION = 1;
    private static final int SAMPLE_VALUE = 2;
    private static final int ID = 1;
    private static final int LINE = 4;
    private static final int LINE_FUNCTION = 1;
    private static final int NAME = 2;
    private static final int SYSTEM_NAME = 3;

    // numbers of the strings before those of frames
    private static final int SAMPLES = 1;
    private static final int COUNT = 2;
    private static final int MEASURE = 3;
    private static final int MEASURE_UNIT = 4;
    private static final int NOTE = 5;
    private static final long NS_PER_MS = 1_000_000;

    private final CallTree tree;
    private final FlameHead head;
    /** The first is empty by the format's rule. */
    private final String[] strings;

    private final OutputStream out;
    private final ProtoMessage profile = new ProtoMessage();
    private final int[] path = new int[Collapsed.MAX_DEPTH + 1];

    private Pprof(CallTree tree, FlameHead head, OutputStream out) {
        this.tree = tree;
        this.head = head;
        this.out = out;
        strings = new String[] {"", "samples", "count", head.measure().type, head.measure().typeUnit, head.note()};
    }

    /** Writes the profile, and leaves the stream open. */
    static void write(CallTree tree, FlameHead head, OutputStream out) throws IOException {
        GZIPOutputStream zipped = new GZIPOutputStream(out);
        new Pprof(tree, head, zipped).write();
        zipped.finish();
    }

    private void write() throws IOException {
        if (head.measure().isCounted()) {
            profile.message(SAMPLE_TYPE, pair(SAMPLES, COUNT));
        }
        if (hasMeasure()) {
            profile.message(SAMPLE_TYPE, pair(MEASURE, MEASURE_UNIT));
        }
        if (head.period() > 0) {
            profile.message(PERIOD_TYPE, pair(MEASURE, MEASURE_UNIT)).number(PERIOD, head.period());
        }
        if (head.timeMs() > 0) {
            profile.number(TIME_NANOS, head.timeMs() * NS_PER_MS);
        }
        if (!head.note().isEmpty()) {
            profile.number(COMMENT, NOTE);
        }
        for (String text : strings) {
            profile.text(STRING_TABLE, text);
        }
        for (int i = 0; i < tree.frames(); i++) {
            profile.text(STRING_TABLE, tree.frameAt(i).name());
            ProtoMessage function = new ProtoMessage().number(ID, i + 1L);
            function.number(NAME, strings.length + i).number(SYSTEM_NAME, strings.length + i);
            ProtoMessage line = new ProtoMessage().number(LINE_FUNCTION, i + 1L);
            profile.message(FUNCTION, function);
            profile.message(LOCATION, new ProtoMessage().number(ID, i + 1L).message(LINE, line));
            profile.flushTo(out);
        }
        samples(CallTree.ROOT, 0);
        profile.flushTo(out);
    }

    /** Returns whether samples have a value besides their number. */
    private boolean hasMeasure() {
        return !head.measure().isCounted() || head.period() > 0;
    }

    private static ProtoMessage pair(int type, int unit) {
        return new ProtoMessage().number(TYPE, type).number(UNIT, unit);
    }

    private void samples(int node, int depth) throws IOException {
        long self = tree.self(node, CallTree.NOW);
        if (self > 0 && depth > 0) {
            ProtoMessage sample = new ProtoMessage();
            for (int i = depth - 1; i >= 0; i--) {
                sample.number(SAMPLE_LOCATION, path[i] + 1L);
            }
            sample.number(SAMPLE_VALUE, self);
            if (head.measure().isCounted() && hasMeasure()) {
                sample.number(SAMPLE_VALUE, self * head.period());
            }
            profile.message(SAMPLE, sample).flushTo(out);
        }
        for (int child : tree.children(node)) {
            path[depth] = tree.frameOf(child);
            samples(child, depth + 1);
        }
    }
}
