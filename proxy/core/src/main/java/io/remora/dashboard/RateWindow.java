package io.remora.dashboard;

/**
 * Readings of two counters over the last {@value #SECONDS} seconds, rounded up to whole periods. They yield a rate and a share.
 *
 * <p>Owner: the admin thread.
 */
final class RateWindow {
    static final int SECONDS = 10;
    private static final double NS_PER_SECOND = 1e9;

    private final long[] ended;
    private final long[] failed;
    private final long[] atNs;
    private int readings;

    RateWindow() {
        this(LivePage.PERIOD);
    }

    /**
     * @param period seconds from one reading to the next
     */
    RateWindow(int period) {
        ended = new long[places(period)];
        failed = new long[places(period)];
        atNs = new long[places(period)];
    }

    /** Returns the number of readings that enclose the window. */
    static int places(int period) {
        return (SECONDS + period - 1) / period + 1;
    }

    /** Adds a reading. Where the counters have fallen, as a part of them is gone, the window begins again. */
    void add(long nowEnded, long nowFailed, long nowNs) {
        if (readings > 0 && nowEnded < ended[newest()]) {
            readings = 0;
        }
        int at = readings % atNs.length;
        ended[at] = nowEnded;
        failed[at] = nowFailed;
        atNs[at] = nowNs;
        readings++;
    }

    boolean isEmpty() {
        return readings == 0;
    }

    private int newest() {
        return (readings - 1) % atNs.length;
    }

    private int oldest() {
        return readings < atNs.length ? 0 : readings % atNs.length;
    }

    /** Returns hundredths of events a second; 0 before the second reading. */
    long hundredthsPerSecond() {
        if (readings < 2) {
            return 0;
        }
        double seconds = (atNs[newest()] - atNs[oldest()]) / NS_PER_SECOND;
        return seconds <= 0 ? 0 : Math.round((ended[newest()] - ended[oldest()]) / seconds * 100);
    }

    /** Returns the share of events that did not fail in hundredths of a percent, rounded down; -1 without events. */
    long success() {
        if (readings == 0) {
            return -1;
        }
        long all = ended[newest()] - ended[oldest()];
        long bad = failed[newest()] - failed[oldest()];
        // a failure is counted before its exchange is, and may be one ahead
        return all <= 0 ? -1 : Math.max(0, all - bad) * 10_000 / all;
    }
}
