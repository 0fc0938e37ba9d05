package io.remora.http2;

import io.remora.transport.NanoClock;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Counts of a peer's frames and streams, of one kind each, within a window of time. The counts of one window end
 * together.
 *
 * <p>Owner: one connection, of either side. Cost: one array; the clock is the time that the loop has read already.
 */
final class FloodWindow {
    /** Time for good streams to end, once their peer has passed a bound. */
    static final long GRACE_NS = TimeUnit.SECONDS.toNanos(5);

    private final long windowNs;
    private final int[] counts;
    private NanoClock clock;
    private long sinceNs;
    private boolean passed;

    FloodWindow(int kinds, long windowNs, NanoClock clock) {
        this.counts = new int[kinds];
        this.windowNs = windowNs;
        this.clock = clock;
        this.sinceNs = clock.nowNs();
    }

    /** Takes the time from this clock from now on. */
    void clock(NanoClock other) {
        clock = other;
    }

    /** Counts one more of a kind; returns how many this window has seen. */
    int add(int kind) {
        roll();
        return ++counts[kind];
    }

    /** Returns how many of a kind the window has seen that was rolled last. */
    int count(int kind) {
        return counts[kind];
    }

    /** Begins the counts again, as a bound was passed for the first time. */
    void pass() {
        passed = true;
        begin(clock.nowNs());
    }

    /** Returns whether a bound was passed before. */
    boolean isPassed() {
        return passed;
    }

    private void roll() {
        long nowNs = clock.nowNs();
        if (nowNs - sinceNs >= windowNs) {
            begin(nowNs);
        }
    }

    private void begin(long nowNs) {
        sinceNs = nowNs;
        Arrays.fill(counts, 0);
    }
}
