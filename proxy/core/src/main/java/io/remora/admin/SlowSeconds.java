package io.remora.admin;

import io.remora.metrics.LatencyTotals;
import io.remora.metrics.ProxyTimes;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The latency of each second of a profile, which selects the slowest seconds. The 99th percentile of the time in the proxy
 * over all listeners counts.
 *
 * <p>An exchange has its latency only when it ends. A latency of several seconds therefore counts for as many seconds before
 * that as well. A second in which no exchange ended is never selected.
 *
 * <p>Owner: the thread of the profile. The admin thread writes the latencies; the latch publishes them.
 */
final class SlowSeconds implements Runnable {
    private static final int WAIT_SECONDS = 5;
    private static final long NS_PER_US = 1_000;
    private static final long NS_PER_S = 1_000_000_000L;

    private final LaterReply admin;
    private final ProxyTimes times;
    private final int wanted;
    private final long[] p99Ns;
    private final CountDownLatch complete = new CountDownLatch(1);
    private volatile int ended;
    /** Set once exchanges before the profile are left out. Owner: the admin thread. */
    private boolean begun;
    /** Seconds that are known. Owner: the admin thread. */
    private int known;

    /**
     * Makes one for a profile of that many seconds.
     *
     * @param wanted seconds to select, fewer than there are
     */
    SlowSeconds(LaterReply admin, LatencyTotals totals, int seconds, int wanted) {
        this.admin = admin;
        this.times = new ProxyTimes(totals);
        this.wanted = wanted;
        this.p99Ns = new long[seconds];
    }

    /** Ends a second of the profile; the first call, with 0, begins the profile. */
    void at(long elapsedSeconds) {
        ended = (int) elapsedSeconds;
        admin.execute(this);
    }

    @Override
    public void run() {
        long value = times.takeP99Ns();
        if (!begun) {
            begun = true;
            return;
        }
        int to = ended;
        for (int second = (int) Math.max(0, known - value / NS_PER_S); second < to; second++) {
            p99Ns[second] = Math.max(p99Ns[second], value);
        }
        known = Math.max(known, to);
        if (known == p99Ns.length) {
            complete.countDown();
        }
    }

    /**
     * Waits for the latency of the last second, and returns the slowest seconds; all of them if no exchange ended.
     *
     * @throws IOException if the admin thread does not answer
     */
    boolean[] select() throws IOException, InterruptedException {
        at(p99Ns.length);
        if (!complete.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the admin thread does not answer");
        }
        boolean[] slow = new boolean[p99Ns.length];
        boolean any = false;
        for (int i = 0; i < wanted; i++) {
            int slowest = slowest(slow);
            if (slowest >= 0) {
                slow[slowest] = true;
                any = true;
            }
        }
        for (int second = 0; second < slow.length && !any; second++) {
            slow[second] = true;
        }
        return slow;
    }

    /** Returns the slowest second that is not selected; -1 if no exchange ended in one. */
    private int slowest(boolean[] selected) {
        int slowest = -1;
        for (int second = 0; second < selected.length; second++) {
            if (!selected[second] && p99Ns[second] > (slowest < 0 ? 0 : p99Ns[slowest])) {
                slowest = second;
            }
        }
        return slowest;
    }

    /** Returns a note about the selection. */
    String note(boolean[] slow) {
        int count = 0;
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int second = 0; second < slow.length; second++) {
            if (slow[second]) {
                count++;
                least = Math.min(least, p99Ns[second]);
            } else {
                most = Math.max(most, p99Ns[second]);
            }
        }
        return count == slow.length
                ? "no exchange ended, nothing is compared"
                : "slowest " + count + " s: p99 >= " + least / NS_PER_US + " us; rest: <= " + most / NS_PER_US + " us";
    }
}
