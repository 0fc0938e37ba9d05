package io.remora.memory;

/**
 * The heap that one owner keeps for a peer, as its loop's budget counts it.
 *
 * <p>Owner: one connection.
 */
public final class Held {
    private final LoopBudget budget;
    /** True for what a client has not sent whole, which leaves room for what is. */
    private final boolean unfinished;

    private int bytes;

    public Held(LoopBudget budget) {
        this(budget, false);
    }

    private Held(LoopBudget budget, boolean unfinished) {
        this.budget = budget;
        this.unfinished = unfinished;
    }

    /** Counts what a client has not sent whole, by {@link LoopBudget#holdUnfinished}. */
    public static Held unfinished(LoopBudget budget) {
        return new Held(budget, true);
    }

    /**
     * Counts what is kept now in place of what was kept before.
     *
     * @return whether the loop's share of the heap has room for it; less than before always fits
     */
    public boolean to(int now) {
        int delta = now - bytes;
        bytes = now;
        return delta == 0 || hold(delta) || delta < 0;
    }

    private boolean hold(int delta) {
        return unfinished ? budget.holdUnfinished(delta) : budget.hold(delta);
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
