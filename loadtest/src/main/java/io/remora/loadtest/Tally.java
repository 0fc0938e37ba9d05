package io.remora.loadtest;

import org.HdrHistogram.Histogram;

/**
 * How late things were that were due in a window of time, and how many failed. Thread safe.
 *
 * <p>A thing belongs to the window by the time it was due, not by the time it was done: a stall cannot move its
 * victims out. Times are {@link System#nanoTime()}'s.
 */
final class Tally {
    private final Histogram late = Percentiles.histogram();
    private long fromNs;
    private long toNs = Long.MAX_VALUE;
    private long failed;
    private long startMs = System.currentTimeMillis();

    Tally(long fromNs) {
        this.fromNs = fromNs;
    }

    synchronized void done(long dueNs, long nowNs) {
        if (dueNs >= fromNs && dueNs < toNs) {
            late.recordValue(Math.max(0, Math.min(nowNs - dueNs, Percentiles.HIGHEST_NS)));
        }
    }

    /** Counts also what was due before the window: a failure is never thrown away but by {@link #begin}. */
    synchronized void failed(long dueNs, long count) {
        if (dueNs < toNs) {
            failed += count;
        }
    }

    /** Throws away what was, and opens a window. */
    synchronized void begin(long nowNs) {
        late.reset();
        failed = 0;
        fromNs = nowNs;
        toNs = Long.MAX_VALUE;
        startMs = System.currentTimeMillis();
    }

    /** Closes the window to what is due from now on; what was due in it may still be done. */
    synchronized void end(long nowNs) {
        toNs = nowNs;
    }

    synchronized long failed() {
        return failed;
    }

    /** What was done so far, as an interval of that tag. */
    synchronized Histogram interval(String tag) {
        Histogram copy = late.copy();
        copy.setTag(tag);
        copy.setStartTimeStamp(startMs);
        copy.setEndTimeStamp(System.currentTimeMillis());
        return copy;
    }
}
