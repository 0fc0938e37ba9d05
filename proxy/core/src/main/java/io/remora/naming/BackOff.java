package io.remora.naming;

import java.util.SplittableRandom;

/** The rest of a source's reader after failures: twice as long each time, within bounds. */
public final class BackOff {
    /** Beyond any bound. */
    private static final int MOST_DOUBLINGS = 10;

    private BackOff() {}

    /**
     * @param failures in a row, 1 or more
     * @param leastNs the rest after the first failure, before chance takes something off
     * @param mostNs the longest rest, before chance takes something off
     * @param parts of the time, of which chance takes off up to one: many sidecars lose one server at the same moment
     */
    public static long restNs(int failures, long leastNs, long mostNs, int parts, SplittableRandom random) {
        long restNs = Math.min(mostNs, leastNs << Math.min(failures - 1, MOST_DOUBLINGS));
        return restNs - random.nextLong(restNs / parts + 1);
    }
}
