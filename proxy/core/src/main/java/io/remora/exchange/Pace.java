package io.remora.exchange;

/**
 * How fast an exchange moves, as whoever asks from time to time sees it.
 *
 * <p>Owner: one frontend.
 */
public final class Pace {
    /** Of what is held, so that burdens stay small numbers. */
    public static final int HOLDS_SHIFT = 10;

    /** Below it, an exchange for which the proxy waits for its client is slow. */
    private static final long SLOW_BYTES = 16 << 10;

    /** Over which a pace is taken; an exchange is not judged before. */
    private static final long WINDOW_NS = 1_000_000_000L;

    private long sinceNs;
    private long movedBefore;
    private long slowness;
    private boolean begun;

    /**
     * Bytes a second by which it falls short of what is not slow; 0 where it does not, or was not watched for long enough.
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
