package io.remora.log;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Random sample of the exchanges that ended well, which have a line in the access log. Chance decides, so that no
 * rhythm of the requests does.
 *
 * <p>Thread safe. Cost: an atomic addition, or two where there is no line (Steele, Lea and Flood: splitmix64).
 */
final class AccessSample {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final long WHOLE = 1_000_000L;

    private final int millionths;
    private final AtomicLong state = new AtomicLong(System.nanoTime());
    private final AtomicLong skipped = new AtomicLong();

    /**
     * @param millionths of them; 0 for none
     */
    AccessSample(int millionths) {
        this.millionths = millionths;
    }

    boolean takes() {
        boolean taken = millionths > 0 && (mix(state.addAndGet(STEP)) >>> 32) * WHOLE >>> 32 < millionths;
        if (!taken) {
            skipped.incrementAndGet();
        }
        return taken;
    }

    long skipped() {
        return skipped.get();
    }

    private static long mix(long number) {
        long mixed = (number ^ number >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
