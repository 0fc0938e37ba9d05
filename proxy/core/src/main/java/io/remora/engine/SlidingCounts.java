package io.remora.engine;

import java.util.Arrays;

/**
 * Two counts of recent events, in slots of time. The oldest slot is dropped as a new one begins.
 *
 * <p>Not thread safe. Cost: two numbers a slot.
 */
public final class SlidingCounts {
    public static final int SLOTS = 10;

    private final long slotNs;
    private final int slots;
    private final int[] firsts;
    private final int[] seconds;
    private long slot = Long.MIN_VALUE;
    /** The time at which the slot that is going on ends, and the place of its counts: most calls need no division. */
    private long endsNs = Long.MIN_VALUE;

    private int at;
    private int first;
    private int second;

    public SlidingCounts(long slotNs) {
        this(slotNs, SLOTS);
    }

    SlidingCounts(long slotNs, int slots) {
        this.slotNs = slotNs;
        this.slots = slots;
        firsts = new int[slots];
        seconds = new int[slots];
    }

    /**
     * Drops the slots that are too old. A time before that of the last call, as another event loop's clock may give, is
     * taken for that of the last call.
     */
    public void advance(long nowNs) {
        if (nowNs < endsNs) {
            return;
        }
        long now = Math.max(slot, Math.floorDiv(nowNs, slotNs));
        long stale = slot == Long.MIN_VALUE ? slots : Math.min(slots, now - slot);
        for (long next = 0; next < stale; next++) {
            int old = (int) Math.floorMod(now - next, (long) slots);
            first -= firsts[old];
            second -= seconds[old];
            firsts[old] = 0;
            seconds[old] = 0;
        }
        slot = now;
        endsNs = (now + 1) * slotNs;
        at = (int) Math.floorMod(now, (long) slots);
    }

    /** Counts in the slot that is going on; {@link #advance} comes first. */
    public void add(int toFirst, int toSecond) {
        firsts[at] += toFirst;
        seconds[at] += toSecond;
        first += toFirst;
        second += toSecond;
    }

    public int first() {
        return first;
    }

    /** The first count without the oldest slot. */
    int recentFirst() {
        return first - firsts[(int) Math.floorMod(slot + 1, (long) slots)];
    }

    public int second() {
        return second;
    }

    public void clear() {
        Arrays.fill(firsts, 0);
        Arrays.fill(seconds, 0);
        first = 0;
        second = 0;
    }
}
