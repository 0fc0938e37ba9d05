package io.remora.compilelog;

import java.util.ArrayList;
import java.util.List;

/** Totals of one second, or of a few seconds that a long log merges, with the largest code made in it. */
final class Second {
    private static final int LARGEST = 3;
    private static final int COUNTS = Count.values().length;

    /** The seconds since the start of the VM at which it begins. */
    final long start;

    private final long[] counts = new long[COUNTS];
    private final List<MadeCode> largest = new ArrayList<>(LARGEST);
    private long longestWaitMs;
    private long longestDelayMs;
    private long waiting;

    Second(long start) {
        this.start = start;
    }

    void add(Count count, long number) {
        counts[count.place] += number;
    }

    long get(Count count) {
        return counts[count.place];
    }

    /** Returns how much code was installed, of all levels. */
    long compiled() {
        return get(Count.LEVEL_1) + get(Count.LEVEL_2) + get(Count.LEVEL_3) + get(Count.LEVEL_4);
    }

    void add(Second other) {
        for (int i = 0; i < COUNTS; i++) {
            counts[i] += other.counts[i];
        }
        longestWaitMs = Math.max(longestWaitMs, other.longestWaitMs);
        longestDelayMs = Math.max(longestDelayMs, other.longestDelayMs);
        waiting = Math.max(waiting, other.waiting);
        other.largest.forEach(this::made);
    }

    void waited(long ms) {
        longestWaitMs = Math.max(longestWaitMs, ms);
    }

    void delayed(long ms) {
        longestDelayMs = Math.max(longestDelayMs, ms);
    }

    /** Keeps the code if it is among the largest of the second. */
    void made(MadeCode code) {
        int place = largest.size();
        while (place > 0 && largest.get(place - 1).bytes() < code.bytes()) {
            place--;
        }
        if (place < LARGEST) {
            largest.add(place, code);
            if (largest.size() > LARGEST) {
                largest.remove(LARGEST);
            }
        }
    }

    List<MadeCode> largest() {
        return largest;
    }

    /** Settles how many tasks wait at the end of the second. */
    void settle(long tasks, boolean hasStarts) {
        waiting = tasks;
        longestWaitMs = hasStarts ? longestWaitMs : longestDelayMs;
    }

    /** Returns the tasks that wait for a compile thread at the end of the second. */
    long waiting() {
        return waiting;
    }

    /** Returns the longest wait of the tasks begun in this second. */
    long longestWaitMs() {
        return longestWaitMs;
    }
}
