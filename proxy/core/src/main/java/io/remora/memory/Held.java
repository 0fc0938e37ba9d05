package io.remora.memory;

/**
 * The heap that one owner keeps for a peer, as its loop's budget counts it.
 *
 * <p>Owner: one connection.
 */
public final class Held {
    private final LoopBudget budget;
    private int bytes;
    /** Bytes among {@link #bytes} of messages that the peer has not sent whole. */
    private int unfinished;

    public Held(LoopBudget budget) {
        this.budget = budget;
    }

    /**
     * Replaces the count of bytes by {@code now}.
     *
     * @return whether the loop's share of the heap has room for it; less than before always fits
     */
    public boolean to(int now) {
        return to(now, 0);
    }

    /**
     * Replaces the count of bytes by {@code now}.
     *
     * @param unfinishedNow bytes among these of messages that the peer has not sent whole, which leave a part of the
     *     heap to whole ones
     * @return whether the loop's share of the heap has room for it; less than before always fits
     */
    public boolean to(int now, int unfinishedNow) {
        int delta = now - bytes;
        int more = unfinishedNow - unfinished;
        bytes = now;
        unfinished = unfinishedNow;
        boolean unfinishedFit = more == 0 || budget.countUnfinished(more) || more < 0;
        return (delta == 0 || budget.hold(delta) || delta < 0) && unfinishedFit;
    }

    /** Replaces the count of bytes by a smaller one; {@link #to} counts a larger one, and its answer matters. */
    public void toLess(int now) {
        if (now < bytes) {
            to(now, Math.min(unfinished, now));
        }
    }

    public int bytes() {
        return bytes;
    }
}
