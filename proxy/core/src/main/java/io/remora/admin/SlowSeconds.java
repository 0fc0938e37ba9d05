package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.ProxyTimes;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The latency of each second of a profile, which selects the slowest seconds. The 99th percentile of the time in the proxy
 * counts, over all listeners.
 *
 * <p>Owner: the thread of the profile. The admin thread reads the latencies.
 */
final class SlowSeconds implements Runnable {
    private static final int WAIT_SECONDS = 10;
    private static final int US = 1_000;

    private final LaterReply admin;
    private final ProxyTimes times;
    private final int wanted;
    private final long[] p99Ns;
    private final CountDownLatch complete = new CountDownLatch(1);
    private volatile int ended;
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

    /** Ends a second of the profile; with 0, the profile begins. */
    void at(long elapsedSeconds) {
        ended = (int) elapsedSeconds;
        admin.execute(this);
    }

    @Override
    public void run() {
        int to = ended;
        long value = times.takeP99Ns();
        if (to > known) {
            Arrays.fill(p99Ns, known, to, value);
            known = to;
        }
        if (known == p99Ns.length) {
            complete.countDown();
        }
    }

    /**
     * Waits for the latency of the last second, and returns the slowest seconds.
     *
     * @throws IOException if the admin thread does not answer
     */
    boolean[] select() throws IOException, InterruptedException {
        at(p99Ns.length);
        if (!complete.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the admin thread does not answer");
        }
        boolean[] slow = new boolean[p99Ns.length];
        for (int i = 0; i < wanted; i++) {
            int slowest = -1;
            for (int second = 0; second < slow.length; second++) {
                if (!slow[second] && (slowest < 0 || p99Ns[second] > p99Ns[slowest])) {
                    slowest = second;
                }
            }
            slow[slowest] = true;
        }
        return slow;
    }

    /** Returns a note about the selection, as the end of a sentence. */
    String note(boolean[] slow) {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int second = 0; second < slow.length; second++) {
            if (slow[second]) {
                least = Math.min(least, p99Ns[second]);
            } else {
                most = Math.max(most, p99Ns[second]);
            }
        }
        return "the slowest " + wanted + " s, whose p99 in the proxy was " + Units.DURATION.format(least / US * US)
                + " or more, compared with the rest, of at most " + Units.DURATION.format(most / US * US);
    }
}
