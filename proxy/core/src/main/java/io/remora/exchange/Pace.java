package io.remora.exchange;

/**
 * The pace of an exchange, measured from one call to a later one.
 *
 * <p>Owner: one frontend.
 */
public final class Pace {
    /** Shift that turns bytes held into KiB, so that scores stay small numbers. */
    public static final int HOLDS_SHIFT = 10;

    /** Below it, an exchange for which the proxy waits for its client is slow. */
    private static final long SLOW_BYTES = 16 << 10;

    /** Window over which the pace is measured; an exchange is not judged before. */
    private static final long WINDOW_NS = 1_000_000_000L;

    private long sinceNs;
    private long movedBefore;
    private long slowness;
    private boolean begun;

    /**
     * Returns the bytes a second by which it falls short of the slow bound; 0 where it does not, or after too short a
     * watch.
     *
     * @param moved in all so far
     */
    public long slowness(long moved, long nowNs) {
        if (!begun) {
            begun = true;
            sinceNs = nowNs;
            movedBefore = moved;
        } else if (nowNs - sinceNs >= WINDOW_NS) {
            long perSecond = (moved - movedBefore) * 1_000 / Math.max(1, (nowNs - sinceNs) / 1_000_000);
            slowness = Math.max(0, SLOW_BYTES - Math.max(0, perSecond));
            sinceNs = nowNs;
            movedBefore = moved;
        }
        return slowness;
    }
}
