package io.remora.profile;

import java.io.IOException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * Timers of the CPU time of all threads of the process, those of the VM among them. A profile of the kernel uses events of perf, if the kernel
 * permits them. Threads that rest cost nothing.
 */
final class CpuTimers implements Sampling {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long STEP_MS = 100;
    private static final long LEAST_STEP_MS = 5;
    private static final long MS_PER_S = 1_000;
    /** Half of the places of {@code ring.c}. */
    private static final long HALF_OF_THE_BUFFER = 32;

    private static final long REFRESH_NS = 500_000_000L;
    private static final int EPERM = 1;
    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int EMFILE = 24;

    private final long intervalNs;
    private final FrameNames names;
    private final Set<Integer> armed = new HashSet<>();
    private final Set<Integer> seen = new HashSet<>();
    private final boolean kernel;
    private final long stepMs;
    private final boolean named = NativeSampler.kernelFunctions() > 0;
    private int timers;
    private int events;
    private long refreshNs;

    CpuTimers(int hz, FrameNames names, boolean kernel) {
        this.kernel = kernel;
        intervalNs = NS_PER_S / hz;
        this.names = names;
        int cores = Runtime.getRuntime().availableProcessors();
        stepMs = Math.max(LEAST_STEP_MS, Math.min(STEP_MS, MS_PER_S * HALF_OF_THE_BUFFER / ((long) hz * cores)));
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
        return stepMs;
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
            if (!armed.contains(tid)) {
                arm(tid);
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

    private void arm(int tid) {
        int how = NativeSampler.arm(tid, intervalNs);
        if (how == NativeSampler.BY_EVENT || how == NativeSampler.BY_TIMER) {
            armed.add(tid);
            events += how == NativeSampler.BY_EVENT ? 1 : 0;
            timers += how == NativeSampler.BY_TIMER ? 1 : 0;
        }
    }

    @Override
    public String method() {
        if (!kernel) {
            return "by timers; the kernel is one frame";
        }
        if (events == 0) {
            return "by timers; the kernel is one frame, because perf_event_open " + reason();
        }
        String others =
                timers == 0 ? "" : "; " + timers + (timers == 1 ? " thread" : " threads") + " had a timer instead";
        return "by perf events" + others
                + (named ? "" : "; the kernel is one frame, because /proc/kallsyms shows no addresses");
    }

    private static String reason() {
        int error = NativeSampler.perfError();
        return switch (error) {
            case EPERM, EACCES -> "is not permitted";
            case ENOMEM -> "has no locked memory left";
            case EMFILE -> "has no descriptors left";
            default -> "failed with errno " + error;
        };
    }
}
