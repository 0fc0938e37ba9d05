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

    /** The strings before those of frames; the first is empty by the format's rule. */
    private static final String[] STRINGS = {"", "samples", "count", "cpu", "nanoseconds"};

    private static final int SAMPLES = 1;
    private static final int COUNT = 2;
    private static final int CPU = 3;
    private static final int NANOSECONDS = 4;
    private static final long NS_PER_MS = 1_000_000;

    private final CallTree tree;
    private final long periodNs;
    private final OutputStream out;
    private final ProtoMessage profile = new ProtoMessage();
    private final int[] path = new int[Collapsed.MAX_DEPTH + 1];

    private Pprof(CallTree tree, long periodNs, OutputStream out) {
        this.tree = tree;
        this.periodNs = periodNs;
        this.out = out;
    }

    /**
     * Writes the profile, and leaves the stream open.
     *
     * @param periodNs processor time that a sample stands for; 0 where that is unknown
     * @param timeMs when it was taken, since 1970; 0 where that is unknown
     */
    static void write(CallTree tree, long periodNs, long timeMs, OutputStream out) throws IOException {
        GZIPOutputStream zipped = new GZIPOutputStream(out);
        new Pprof(tree, periodNs, zipped).write(timeMs);
        zipped.finish();
    }

    private void write(long timeMs) throws IOException {
        profile.message(SAMPLE_TYPE, pair(SAMPLES, COUNT));
        if (periodNs > 0) {
            profile.message(SAMPLE_TYPE, pair(CPU, NANOSECONDS));
            profile.message(PERIOD_TYPE, pair(CPU, NANOSECONDS)).number(PERIOD, periodNs);
        }
        if (timeMs > 0) {
            profile.number(TIME_NANOS, timeMs * NS_PER_MS);
        }
        for (String text : STRINGS) {
            profile.text(STRING_TABLE, text);
        }
        for (int i = 0; i < tree.frames(); i++) {
            profile.text(STRING_TABLE, tree.frameAt(i).name());
            ProtoMessage function = new ProtoMessage().number(ID, i + 1L);
            function.number(NAME, STRINGS.length + i).number(SYSTEM_NAME, STRINGS.length + i);
            ProtoMessage line = new ProtoMessage().number(LINE_FUNCTION, i + 1L);
            profile.message(FUNCTION, function);
            profile.message(LOCATION, new ProtoMessage().number(ID, i + 1L).message(LINE, line));
            profile.flushTo(out);
        }
        samples(CallTree.ROOT, 0);
        profile.flushTo(out);
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
            if (periodNs > 0) {
                sample.number(SAMPLE_VALUE, self * periodNs);
            }
            profile.message(SAMPLE, sample).flushTo(out);
        }
        for (int child : tree.children(node)) {
            path[depth] = tree.frameOf(child);
            samples(child, depth + 1);
        }
    }
}
