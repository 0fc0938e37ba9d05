package io.remora.profile;

import io.remora.process.ProcFile;
import java.io.File;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** The threads of the process that have a timer; those of the VM are among them. Owner: the thread of the profile. */
final class SampledThreads {
    private static final String TASKS = "/proc/self/task";

    private final long intervalNs;
    private final FrameNames names;
    private final Set<Integer> armed = new HashSet<>();
    private final Set<Integer> seen = new HashSet<>();

    SampledThreads(long intervalNs, FrameNames names) {
        this.intervalNs = intervalNs;
        this.names = names;
    }

    /** Gives a timer to threads that have started, and frees those of threads that have ended. */
    void refresh() {
        String[] tasks = new File(TASKS).list();
        if (tasks == null) {
            return;
        }
        seen.clear();
        for (String task : tasks) {
            int tid = (int) ProcFile.number(task, 0);
            seen.add(tid);
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
        // one that has ended meanwhile, or is one too many, has none
        if (NativeSampler.arm(tid, intervalNs) == 0) {
            armed.add(tid);
        }
    }

    /** Returns whether any thread has one. */
    boolean any() {
        return !armed.isEmpty();
    }
}
