package io.remora.memory;

import java.util.concurrent.TimeUnit;

/**
 * The first looks of the watch, after which memory is released that only the start needs.
 *
 * <p>Owner: one thread. Cost: three numbers.
 */
final class StartRelease {
    /** The first looks, during which most of the code that carries traffic is loaded and compiled. */
    private static final int FIRST = 4;

    /** The compiler works for about a minute, and each of its arenas leaves free memory between blocks that stay. */
    private static final long LAST_NS = TimeUnit.SECONDS.toNanos(60);

    /** Time between trims, as the watch looks more often under pressure, when trimming is dearest. */
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(5);

    private int looks;
    private long beganNs;
    private long trimmedNs;
    private boolean trims;

    /** Counts a look at {@code nowNs}. */
    void look(long nowNs) {
        if (looks == 0) {
            beganNs = nowNs;
        }
        looks = Math.min(looks + 1, FIRST + 1);
        trims = looks <= FIRST || nowNs - beganNs <= LAST_NS && nowNs - trimmedNs >= STEP_NS;
        if (trims) {
            trimmedNs = nowNs;
        }
    }

    /** True if file pages are released after this look. */
    boolean releasesFiles() {
        return looks <= FIRST;
    }

    /** True if the C library's free memory is released after this look. */
    boolean trimsHeap() {
        return trims;
    }
}
