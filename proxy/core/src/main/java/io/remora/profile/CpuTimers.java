package io.remora.profile;

import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** Timers of the processor time of all threads of the process, those of the VM among them. Threads that rest cost nothing. */
final class CpuTimers implements Sampling {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long STEP_MS = 100;
    private static final long REFRESH_NS = 500_000_000L;

    private final long intervalNs;
    private final FrameNames names;
    private final Set<Integer> armed = new HashSet<>();
    private final Set<Integer> seen = new HashSet<>();
    private long refreshNs;

    CpuTimers(int hz, FrameNames names) {
        intervalNs = NS_PER_S / hz;
        this.names = names;
    }

    @Override
    public void at(long elapsedNs) throws IOException {
        if (elapsedNs >= refreshNs) {
            refreshNs = elapsedNs + REFRESH_NS;
            refresh();
        }
        if (armed.isEmpty()) {
            throw new IOException("the kernel allows no timers of threads");
        }
    }

    @Override
    public long stepMs() {
        return STEP_MS;
    }

    @Override
    public long period() {
        return intervalNs;
    }

    /** Gives a timer to threads that have started, and frees those of threads that have ended. */
    private void refresh() {
        int[] tids = Tasks.tids();
        if (tids.length == 0) {
            return;
        }
        seen.clear();
        for (int tid : tids) {
            seen.add(tid);
            // one that has ended meanwhile, or is one too many, has none
            if (!armed.contains(tid) && NativeSampler.arm(tid, intervalNs) == 0) {
                armed.add(tid);
            }
        }
        for (Iterator<Integer> all = armed.iterator(); all.hasNext(); ) {
            int tid = all.next();
            if (!seen.contains(tid)) {
                NativeSampler.disarm(tid);
                names.forget(tid);
                all.remove();
            }
        }
    }
}
