package io.remora.compilelog;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The method and the time of the queue by the id of a compilation, as later events only have the id.
 *
 * <p>Bounds: the latest 524,288 ids, with 16 bytes each. An older id is unknown.
 */
final class CompileIds {
    static final int MAX_IDS = 1 << 19;
    private static final int FIRST_IDS = 1 << 12;

    private int[] ids = new int[FIRST_IDS];
    private long[] queuedMs = new long[FIRST_IDS];
    private @Nullable MethodRow[] methods = new MethodRow[FIRST_IDS];

    /** Returns the place of an id, which another id may have. */
    private int place(int id) {
        return id & ids.length - 1;
    }

    void put(int id, long timeMs, MethodRow method) {
        while (ids[place(id)] != 0 && ids[place(id)] != id && ids.length < MAX_IDS) {
            grow();
        }
        int place = place(id);
        ids[place] = id;
        queuedMs[place] = timeMs;
        methods[place] = method;
    }

    private void grow() {
        int length = ids.length;
        // an id belongs to its old place or to the one a table further, and the copy leaves the other one free
        ids = Arrays.copyOf(ids, 2 * length);
        queuedMs = Arrays.copyOf(queuedMs, 2 * length);
        methods = Arrays.copyOf(methods, 2 * length);
        for (int from = 0; from < length; from++) {
            int to = place(ids[from]);
            if (to != from && ids[from] != 0) {
                ids[to] = ids[from];
                queuedMs[to] = queuedMs[from];
                methods[to] = methods[from];
                ids[from] = 0;
                methods[from] = null;
            }
        }
    }

    /** Returns the method of an id, null if the id is unknown. */
    @Nullable
    MethodRow method(int id) {
        int place = place(id);
        return id != 0 && ids[place] == id ? methods[place] : null;
    }

    /** Returns when the task was queued, -1 if that is unknown. */
    long queuedMs(int id) {
        int place = place(id);
        return id != 0 && ids[place] == id ? queuedMs[place] : -1;
    }

    /** Releases the rows that their table has dropped. */
    void removeDropped() {
        for (int i = 0; i < methods.length; i++) {
            MethodRow method = methods[i];
            if (method != null && method.isDropped()) {
                methods[i] = null;
            }
        }
    }
}
