package io.remora.exchange;

/**
 * Durations by size, in steps of an eighth at most, so that a few hundred counts say how they are distributed. Pure functions.
 *
 * <p>Bounds: from about a microsecond to two minutes; what lies outside counts at the bound.
 */
public final class LatencyScale {
    /** Number of steps. */
    public static final int SIZE = 200;

    private static final int UNIT_BITS = 10;
    private static final int STEP_BITS = 3;
    private static final int STEPS = 1 << STEP_BITS;

    private LatencyScale() {}

    public static int step(long ns) {
        long units = Math.max(0, ns) >> UNIT_BITS;
        if (units < STEPS) {
            return (int) units;
        }
        int doublings = Long.SIZE - 1 - STEP_BITS - Long.numberOfLeadingZeros(units);
        return Math.min(SIZE - 1, (doublings << STEP_BITS) + (int) (units >> doublings));
    }

    /** Returns the latency at which a step begins. */
    public static long fromNs(int step) {
        if (step < STEPS) {
            return (long) step << UNIT_BITS;
        }
        int doublings = (step >> STEP_BITS) - 1;
        return (long) (step - (doublings << STEP_BITS)) << doublings << UNIT_BITS;
    }

    /**
     * Returns the duration that a part of those counted does not exceed, 0 where none was.
     *
     * @param counts by step
     */
    public static long quantileNs(int[] counts, double part) {
        long all = 0;
        for (int count : counts) {
            all += count;
        }
        double rank = part * all;
        double below = 0;
        for (int step = 0; step < counts.length; step++) {
            if (counts[step] > 0 && below + counts[step] >= rank) {
                long fromNs = fromNs(step);
                return fromNs + (long) ((fromNs(step + 1) - fromNs) * (rank - below) / counts[step]);
            }
            below += counts[step];
        }
        return 0;
    }
}
