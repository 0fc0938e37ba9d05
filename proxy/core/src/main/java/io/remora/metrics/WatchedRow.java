package io.remora.metrics;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The exchanges of one listener, route or endpoint on one event loop since somebody has looked.
 *
 * <p>Owner: written by its event loop only, read by any thread. Cost: 3.1 KB.
 */
public final class WatchedRow {
    /** The route or the cluster; empty for a listener. */
    public final String name;

    /** The endpoint; empty for a listener or a route. */
    public final String endpoint;

    private final RoughTimes proxy = new RoughTimes();
    private final RoughTimes total = new RoughTimes();
    private final AtomicLong failed = new AtomicLong();
    /** Written last, so that a reader of it sees all that it counts. */
    private final AtomicLong ended = new AtomicLong();

    WatchedRow(String name, String endpoint) {
        this.name = name;
        this.endpoint = endpoint;
    }

    void add(boolean hasFailed, long proxyNs, long totalNs) {
        proxy.record(proxyNs);
        total.record(totalNs);
        if (hasFailed) {
            failed.lazySet(failed.getPlain() + 1);
        }
        ended.lazySet(ended.getPlain() + 1);
    }

    /** Returns the number of exchanges that ended. */
    public long ended() {
        return ended.get();
    }

    /** Returns the number of those that failed, as logs and traces report it. */
    public long failed() {
        return failed.get();
    }

    /** Adds its times to sums of {@link RoughTimes}. Order: call {@link #ended} before, which publishes them. */
    public void addTo(int[] proxySum, int[] totalSum) {
        proxy.addTo(proxySum, 1);
        total.addTo(totalSum, 1);
    }
}
