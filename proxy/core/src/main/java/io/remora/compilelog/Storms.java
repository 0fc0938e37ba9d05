package io.remora.compilelog;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The storms of a log.
 *
 * <p>A second belongs to a storm if a task that began in it had waited for 100 ms, or if the threads of one compiler
 * were busy for half of it. Storms with one quiet second between them are one.
 */
final class Storms {
    static final long WAIT_MS = 100;
    static final long BUSY_MS = 500;

    private Storms() {}

    /** Returns the storms in their order, of a time line that is settled. */
    static List<Storm> find(Timeline timeline) {
        long width = timeline.width();
        List<Storm> storms = new ArrayList<>();
        Storm last = null;
        for (Second second : timeline.sorted()) {
            if (!isIn(second, width)) {
                continue;
            }
            if (last != null && second.start - last.end() <= width) {
                last.add(second, width);
            } else {
                last = new Storm(second, width);
                storms.add(last);
            }
        }
        return storms;
    }

    static boolean isIn(Second second, long width) {
        return second.longestWaitMs() >= WAIT_MS
                || second.get(Count.C1_BUSY_MS) >= BUSY_MS * width
                || second.get(Count.C2_BUSY_MS) >= BUSY_MS * width;
    }

    /** Returns the second in which most code was installed, null for an empty log. */
    static @Nullable Second busiest(Timeline timeline) {
        Second busiest = null;
        for (Second second : timeline.sorted()) {
            if (busiest == null || second.compiled() > busiest.compiled()) {
                busiest = second;
            }
        }
        return busiest;
    }
}
