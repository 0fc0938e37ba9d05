package io.remora.profile;

import java.io.IOException;
import java.util.Arrays;

/**
 * Signals to all threads in turn, a few at a time, so that those that wait are sampled as often as those that run.
 *
 * <p>Bounds: {@value #MOST} signals per {@value #STEP_MS} ms, which fit into the buffer; with more threads than that is
 * enough for, each is sampled less often, and the period says so.
 */
final class WallSignals implements Sampling {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long STEP_MS = 20;
    private static final int MOST = 48;
    private static final long REFRESH_NS = 100_000_000L;

    private final int hz;
    private final FrameNames names;
    /** All threads, and those that were there at the last look as well: a handler needs a thread that the VM knows. */
    private int[] listed = {};

    private int[] tids = {};
    private int next;
    private int own;
    private long refreshNs;
    private long lastNs;
    private long dueNs;
    private long threadNs;
    private long sent;

    WallSignals(int hz, FrameNames names) {
        this.hz = hz;
        this.names = names;
    }

    @Override
    public void at(long elapsedNs) throws IOException {
        if (elapsedNs >= refreshNs) {
            refreshNs = elapsedNs + REFRESH_NS;
            refresh();
        }
        long sinceNs = elapsedNs - lastNs;
        lastNs = elapsedNs;
        threadNs += tids.length * sinceNs;
        dueNs = Math.min(dueNs + tids.length * sinceNs, MOST * NS_PER_S / hz);
        for (; tids.length > 0 && dueNs >= NS_PER_S / hz; dueNs -= NS_PER_S / hz) {
            next = (next + 1) % tids.length;
            if (NativeSampler.signal(tids[next]) == 0) {
                sent++;
            }
        }
    }

    private void refresh() throws IOException {
        own = own == 0 ? Tasks.own() : own;
        int[] now = Tasks.tids();
        Arrays.sort(now);
        int[] old = new int[now.length];
        int count = 0;
        for (int tid : now) {
            if (tid != own && Arrays.binarySearch(listed, tid) >= 0) {
                old[count++] = tid;
            }
        }
        for (int tid : tids) {
            if (Arrays.binarySearch(now, tid) < 0) {
                names.forget(tid);
            }
        }
        listed = now;
        tids = Arrays.copyOf(old, count);
    }

    @Override
    public String method() {
        return "by signals; the kernel is one frame";
    }

    @Override
    public long stepMs() {
        return STEP_MS;
    }

    /** Returns the time of a thread that a sample stands for, as it has come out. */
    @Override
    public long period() {
        return sent == 0 ? NS_PER_S / hz : threadNs / sent;
    }
}
