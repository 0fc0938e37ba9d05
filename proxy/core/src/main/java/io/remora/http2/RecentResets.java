package io.remora.http2;

import org.jspecify.annotations.Nullable;

/**
 * The streams that this side has reset of late: frames that their client had under way are no fault of its own.
 *
 * <p>Owner: one connection. Cost: nothing before the first. Bounds: the last 256.
 */
final class RecentResets {
    private static final int MOST = 256;

    private int @Nullable [] ids;
    private int next;

    void add(int id) {
        if (ids == null) {
            ids = new int[MOST];
        }
        ids[next++ % MOST] = id;
    }

    boolean contains(int id) {
        if (ids != null) {
            for (int one : ids) {
                if (one == id) {
                    return true;
                }
            }
        }
        return false;
    }
}
