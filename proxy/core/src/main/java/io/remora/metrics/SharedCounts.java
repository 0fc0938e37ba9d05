package io.remora.metrics;

import java.util.List;

/**
 * Counts of something that may be there twice for a while, as one of its name takes the place of another: both count in the same
 * series, which end with the last of them.
 *
 * <p>Thread safe by its lock.
 */
abstract class SharedCounts<M extends Enum<M> & Metric> extends Counts<M> {
    /** How many of those who count here there are. */
    private int users = 1;

    SharedCounts(M[] lines, String[] scope, String[] openValues) {
        super(lines, scope, openValues);
    }

    /** Adds it, unless its series are there already; tells which of the two is. */
    static <S extends SharedCounts<?>> S join(List<S> all, S stats) {
        for (S known : all) {
            if (known.goesOnAs(stats)) {
                known.joined();
                return known;
            }
        }
        all.add(stats);
        return stats;
    }

    /** Whether what is counted for the other one may go on here. */
    boolean goesOnAs(SharedCounts<?> other) {
        return sharesSeriesWith(other);
    }

    final synchronized void joined() {
        users++;
    }

    /** One of those who count here has ended; tells whether it was the last. */
    final synchronized boolean leave() {
        return --users == 0;
    }
}
