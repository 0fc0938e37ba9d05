package io.remora.compilelog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The seconds in which something happened.
 *
 * <p>Bounds: 7,200 of them. If there are more, each two neighbors become one, so that a row then stands for 2, 4 or
 * more seconds.
 */
final class Timeline {
    static final int MAX_SECONDS = 7_200;
    private static final long MS = 1_000;

    private Map<Long, Second> seconds = new HashMap<>();
    private long width = 1;

    /** Returns the second of a time, which stays valid until the next call. */
    Second at(long ms) {
        long start = ms / MS / width * width;
        Second second = seconds.get(start);
        if (second == null) {
            if (seconds.size() >= MAX_SECONDS) {
                coarsen();
                return at(ms);
            }
            second = new Second(start);
            seconds.put(start, second);
        }
        return second;
    }

    private void coarsen() {
        width *= 2;
        Map<Long, Second> merged = new HashMap<>();
        for (Second second : seconds.values()) {
            merged.computeIfAbsent(second.start / width * width, Second::new).add(second);
        }
        seconds = merged;
    }

    /** Adds a duration to each second in which it lies. */
    void spread(Count count, long fromMs, long toMs) {
        long at = fromMs;
        while (at < toMs) {
            long end = Math.min(toMs, (at / MS / width + 1) * width * MS);
            at(at).add(count, end - at);
            at = end;
        }
    }

    /** Returns the seconds that one row stands for. */
    long width() {
        return width;
    }

    /** Settles how many tasks wait at the end of each second, after the last event. */
    void settle(boolean hasStarts) {
        Count begun = hasStarts ? Count.WAIT_BEGUN : Count.DELAY_BEGUN;
        Count ended = hasStarts ? Count.WAIT_ENDED : Count.DELAY_ENDED;
        long tasks = 0;
        for (Second second : sorted()) {
            tasks += second.get(begun) - second.get(ended);
            second.settle(tasks, hasStarts);
        }
    }

    /** Returns the seconds with an event, in their order. */
    List<Second> sorted() {
        List<Second> sorted = new ArrayList<>(seconds.values());
        sorted.sort(Comparator.comparingLong(second -> second.start));
        return sorted;
    }
}
