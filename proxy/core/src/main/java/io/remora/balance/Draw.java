package io.remora.balance;

/**
 * A sequence of random numbers that its seed determines (Steele, Lea and Flood: splitmix64). Not for secrets.
 *
 * <p>Owner: one event loop.
 */
public final class Draw {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final double UNIT = 0x1.0p-53;

    private long state;

    public Draw(long seed) {
        state = seed;
    }

    public long next() {
        state += STEP;
        return mix(state);
    }

    /** Tells yes for so many percent of all calls. */
    public boolean isOneOf(int percent) {
        return below(100) < percent;
    }

    /** Returns a number from 0 up to, but not including, {@code bound}. */
    int below(int bound) {
        return (int) ((next() >>> 32) * bound >>> 32);
    }

    /** Returns a number from 0 up to, but not including, 1. */
    double unit() {
        return unit(next());
    }

    /** The place of a hash between 0 and 1. */
    static double unit(long hash) {
        return (hash >>> 11) * UNIT;
    }

    /** Spreads numbers that differ in few bits over all bits. */
    public static long mix(long number) {
        long mixed = number;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
