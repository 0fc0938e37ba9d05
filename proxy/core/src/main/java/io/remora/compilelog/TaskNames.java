package io.remora.compilelog;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Names of classes and methods by the ids that a compile thread gives them in one task.
 *
 * <p>Bounds: ids below 16,384. A task of C2 with all its inlining has a few thousand.
 */
final class TaskNames {
    private static final int MAX_IDS = 1 << 14;
    private static final int FIRST_IDS = 1 << 10;
    private static final String UNKNOWN = "?";

    private @Nullable String[] names = new String[FIRST_IDS];
    private long[] bytecodes = new long[FIRST_IDS];
    private int limit;

    /** Forgets the ids of the last task. */
    void clear() {
        Arrays.fill(names, 0, limit, null);
        limit = 0;
    }

    void klass(int id, String name) {
        put(id, name, 0);
    }

    void method(int id, int holder, String name, long bytes) {
        put(id, MethodNames.of(method(holder), name), bytes);
    }

    private void put(int id, String name, long bytes) {
        if (id < 0 || id >= MAX_IDS) {
            return;
        }
        if (id >= names.length) {
            int length = Math.min(MAX_IDS, Integer.highestOneBit(id) * 2);
            names = Arrays.copyOf(names, length);
            bytecodes = Arrays.copyOf(bytecodes, length);
        }
        names[id] = TableRow.cut(name);
        bytecodes[id] = bytes;
        limit = Math.max(limit, id + 1);
    }

    /** Returns the name of an id. */
    String method(int id) {
        String name = id < 0 || id >= limit ? null : names[id];
        return name == null ? UNKNOWN : name;
    }

    long bytecodes(int id) {
        return id < 0 || id >= limit ? 0 : bytecodes[id];
    }
}
