package io.remora.metrics;

/**
 * Durations in buckets that are at most a sixteenth wide, so that a percentile is off by at most 3.2 %.
 *
 * <p>Owner: one writer. Another thread may add them to a sum meanwhile, and misses what the writer has not published.
 * Cost: {@value #BUCKETS} numbers. Bounds: 1 us to 60 s; a duration outside counts at the bound.
 */
public final class RoughTimes {
    /** Nanoseconds of the unit as a shift: 1.024 us. */
    private static final int UNIT_SHIFT = 10;
    /** Buckets of a power of two, as a shift. */
    private static final int STEP_SHIFT = 4;

    private static final int STEPS = 1 << STEP_SHIFT;
    /** Units of the longest duration. */
    private static final long HIGHEST = LatencyRecorder.HIGHEST_NS >> UNIT_SHIFT;

    static final int BUCKETS = 368;

    private final int[] counts = new int[BUCKETS];

    /** Adds one duration. A bucket that is full stays so. */
    void record(long durationNs) {
        int bucket = bucket(durationNs);
        int count = counts[bucket];
        counts[bucket] = count == Integer.MAX_VALUE ? count : count + 1;
    }

    /** Adds these durations to {@code sum}, or takes them out of it. */
    void addTo(int[] sum, int sign) {
        for (int i = 0; i < BUCKETS; i++) {
            sum[i] += sign * counts[i];
        }
    }

    static int bucket(long durationNs) {
        int units = (int) Math.max(0, Math.min(durationNs >> UNIT_SHIFT, HIGHEST));
        if (units < STEPS) {
            return units;
        }
        int shift = Integer.SIZE - 1 - STEP_SHIFT - Integer.numberOfLeadingZeros(units);
        return (shift + 1) * STEPS + (units >> shift & STEPS - 1);
    }

    /** Returns the middle of a bucket. */
    static long middleNs(int bucket) {
        if (bucket < STEPS) {
            return ((long) bucket << UNIT_SHIFT) + (1 << UNIT_SHIFT - 1);
        }
        int shift = bucket / STEPS - 1;
        long lowest = (long) (STEPS + bucket % STEPS) << shift;
        return (lowest << UNIT_SHIFT) + (1L << shift + UNIT_SHIFT - 1);
    }

    /** Returns a sum without durations. */
    public static int[] newSum() {
        return new int[BUCKETS];
    }

    /**
     * Returns the durations in nanoseconds at these shares of a sum; zeros where it is empty.
     *
     * @param shares ascending, from 0 to 1
     */
    public static long[] at(int[] sum, double... shares) {
        long total = 0;
        for (int count : sum) {
            total += Math.max(0, count);
        }
        long[] found = new long[shares.length];
        if (total == 0) {
            return found;
        }
        int bucket = 0;
        long below = Math.max(0, sum[0]);
        for (int i = 0; i < shares.length; i++) {
            long rank = Math.max(1, (long) Math.ceil(shares[i] * total));
            while (below < rank) {
                bucket++;
                below += Math.max(0, sum[bucket]);
            }
            found[i] = middleNs(bucket);
        }
        return found;
    }
}
