package io.remora.transport;

import io.remora.process.ProcFile;
import org.jspecify.annotations.Nullable;

/**
 * A thread's times as the kernel counts them. Immutable.
 *
 * @param ranNs that it has run
 * @param waitedNs that it has waited for a processor, the present wait excluded
 * @param isRunnable whether it runs or waits for a processor now
 */
record ThreadTimes(long ranNs, long waitedNs, boolean isRunnable) {
    /** The kernel's number of the calling thread; {@link ProcFile#UNKNOWN} where it does not tell. */
    static long callingThread() {
        return ProcFile.number(ProcFile.read("/proc/thread-self/stat"), 0);
    }

    /** Reads a thread's times; null where the kernel does not tell, as one that was built without {@code CONFIG_SCHED_INFO}. */
    static @Nullable ThreadTimes read(long thread) {
        String directory = "/proc/self/task/" + thread;
        String schedstat = ProcFile.read(directory + "/schedstat");
        String stat = ProcFile.read(directory + "/stat");
        long ranNs = ProcFile.number(ProcFile.word(schedstat, 0, 0), 0);
        long waitedNs = ProcFile.number(ProcFile.word(schedstat, 0, 1), 0);
        // the second field, a name in parentheses, may hold anything
        boolean isRunnable = ProcFile.word(stat, stat.lastIndexOf(')') + 1, 0).equals("R");
        return ranNs < 0 || waitedNs < 0 ? null : new ThreadTimes(ranNs, waitedNs, isRunnable);
    }
}
