package io.remora.memory;

import java.util.concurrent.TimeUnit;

/**
 * Bounds on how long active file pages count as used where they make the stage of pressure worse and exchanges are refused. Counting them keeps a flood from
 * pushing the sidecar's own code out of the limit. But no client holds them, so that refusing frees none, and the kernel reclaims
 * them before it kills: they must not keep the sidecar shut.
 *
 * <p>Owner: the watch.
 */
final class ActiveFiles {
    /** Time for which they count; long enough for releasing them to show. */
    static final long COUNTED_NS = TimeUnit.SECONDS.toNanos(1);

    /** Time for which they are then left out, so that the sidecar serves ten elevenths of the time at the worst. */
    static final long SPARED_NS = TimeUnit.SECONDS.toNanos(10);

    private boolean counted;
    private boolean spared;
    /** Beginning of the time for which they count, or are left out. */
    private long sinceNs;

    /**
     * Returns whether this look leaves active file pages out of the usage.
     *
     * @param shut whether exchanges are refused, and the stage is worse than without them
     * @param quiet whether next to nothing is reserved, so that refusing has nothing left to free
     */
    boolean areSpared(boolean shut, boolean quiet, long nowNs) {
        if (spared && nowNs - sinceNs < SPARED_NS) {
            return true;
        }
        if (!shut) {
            counted = false;
            spared = false;
            return false;
        }
        if (spared || !counted) {
            counted = true;
            sinceNs = nowNs;
        }
        spared = quiet || nowNs - sinceNs >= COUNTED_NS;
        if (spared) {
            sinceNs = nowNs;
        }
        return spared;
    }
}
