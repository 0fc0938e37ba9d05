package io.remora.memory;

/**
 * The heap that one owner keeps for a peer, as its loop's budget counts it.
 *
 * <p>Owner: one connection.
 */
public final class Held {
    private final LoopBudget budget;
    private int bytes;

    public Held(LoopBudget budget) {
        this.budget = budget;
    }

    /**
     * Counts what is kept now in place of what was kept before.
     *
     * @return whether the loop's share of the heap has room for it; less than before always fits
     */
    public boolean to(int now) {
        int delta = now - bytes;
        bytes = now;
        return delta == 0 || budget.hold(delta) || delta < 0;
    }

    /** Counts what is kept now where that is less than before; more is counted by {@link #to}, whose answer matters. */
    public void toLess(int now) {
        if (now < bytes) {
            to(now);
        }
    }

    public int bytes() {
        return bytes;
    }
}
