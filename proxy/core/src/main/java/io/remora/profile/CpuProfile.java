package io.remora.profile;

import io.remora.flame.CallTree;
import io.remora.flame.FrameKind;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A profile of the processor time of all threads. A timer of each thread's own time interrupts it, so that threads that rest
 * cost nothing.
 *
 * <p>Owner: the thread that runs it. Bounds: one at a time in the process; the nodes and frames of a {@link CallTree}. Cost:
 * some tens of microseconds a sample; what stays is the library and an identifier for each method of each loaded class.
 */
public final class CpuProfile implements AutoCloseable {
    /** Highest rate, in samples per second of a thread's processor time. */
    public static final int MAX_HZ = 1_000;

    private static final long NS_PER_S = 1_000_000_000L;
    private static final long NS_PER_MS = 1_000_000L;
    private static final long STEP_MS = 100;
    /** Steps between looks for new threads. */
    private static final int REFRESH_STEPS = 5;

    // a sample, as the library has it
    private static final int TID = 0;
    private static final int FLAGS = 1;
    private static final int NATIVES = 2;
    private static final int JAVAS = 3;
    private static final int HEAD = 4;

    /** Frames of Java that a sample has at most; the outer ones are missing. */
    private static final int MAX_JAVA = 128;

    // flags of a sample
    private static final int IN_KERNEL = 1;
    private static final int LOST_LEAF = 2;

    /** Reasons why a stack has no frames of Java, by the numbers of AsyncGetCallTrace in HotSpot's forte.cpp. */
    private static final String[] REASONS = {
        "no frames",
        "no class events",
        "collection",
        "unknown state outside Java",
        "not walkable outside Java",
        "unknown state in Java",
        "not walkable in Java",
        "unknown state",
        "thread ends",
        "deoptimization",
        "safepoint",
    };

    /** Thread that has not called Java, such as a compiler's, whose native frames are its whole stack. */
    private static final int OUTSIDE_JAVA = -3;

    private static final AtomicBoolean TAKEN = new AtomicBoolean();

    /** Receives the progress of a profile, once a second. */
    public interface Progress {
        /**
         * Reports progress.
         *
         * @throws IOException if nobody waits for the profile any more, which ends it
         */
        void at(long elapsedSeconds, long samples) throws IOException;
    }

    private final CallTree tree = CallTree.within(Runtime.getRuntime().maxMemory());
    private final FrameNames names = new FrameNames(tree);
    private final SampledThreads threads;
    private final long[] sample = new long[NativeSampler.NUMBERS];
    private final int[] path = new int[NativeSampler.NUMBERS + 1];
    private long dropped;

    private CpuProfile(int hz) {
        threads = new SampledThreads(NS_PER_S / hz, names);
    }

    /**
     * Begins a profile, which has to be closed.
     *
     * @param hz samples per second of a thread's processor time, at most {@link #MAX_HZ}
     * @return null while another one is being taken
     * @throws IOException if the VM or the kernel does not allow it
     */
    public static @Nullable CpuProfile begin(int hz) throws IOException {
        if (!TAKEN.compareAndSet(false, true)) {
            return null;
        }
        String problem = NativeSampler.problem();
        problem = problem == null ? NativeSampler.start() : problem;
        if (problem != null) {
            TAKEN.set(false);
            throw new IOException(problem);
        }
        CpuProfile profile = null;
        try {
            profile = new CpuProfile(hz);
            profile.arm();
            return profile;
        } catch (IOException | RuntimeException | Error e) {
            NativeSampler.stop();
            TAKEN.set(false);
            throw e;
        }
    }

    private void arm() throws IOException {
        threads.refresh();
        if (!threads.any()) {
            throw new IOException("the kernel allows no timers of threads");
        }
    }

    /**
     * Samples for a while, and returns the stacks. Nothing is sampled afterwards.
     *
     * @throws IOException if the progress is no longer wanted
     */
    public CallTree run(long durationNs, Progress progress) throws IOException, InterruptedException {
        try {
            sample(durationNs, progress);
            dropped = NativeSampler.dropped();
            return tree;
        } finally {
            NativeSampler.stop();
        }
    }

    private void sample(long durationNs, Progress progress) throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        long told = 0;
        for (int step = 0; ; step++) {
            if (step % REFRESH_STEPS == 0) {
                threads.refresh();
            }
            long elapsedNs = System.nanoTime() - startNs;
            long leftMs = (durationNs - elapsedNs) / NS_PER_MS;
            if (leftMs <= 0) {
                break;
            }
            if (elapsedNs / NS_PER_S > told) {
                told = elapsedNs / NS_PER_S;
                progress.at(told, tree.total(CallTree.NOW));
            }
            Thread.sleep(Math.min(STEP_MS, leftMs));
            drain();
        }
    }

    /** Returns the samples for which the buffer had no room. */
    public long dropped() {
        return dropped;
    }

    private void drain() {
        while (NativeSampler.take(sample) > 0) {
            tree.add(path, path(), 1, CallTree.NOW);
        }
    }

    /** Fills the path with the sample's frames from the root on; returns their number. */
    private int path() {
        int natives = (int) sample[NATIVES];
        int javas = (int) sample[JAVAS];
        int length = 0;
        path[length++] = names.thread((int) sample[TID]);
        if (javas == MAX_JAVA) {
            path[length++] = names.other("[truncated]", FrameKind.VM);
        }
        for (int i = javas - 1; i >= 0; i--) {
            path[length++] = names.method(sample[HEAD + natives + i]);
        }
        if (javas < 0 && (javas != OUTSIDE_JAVA || natives == 0)) {
            int reason = -javas < REASONS.length ? -javas : 0;
            path[length++] = names.other('[' + REASONS[reason] + ']', FrameKind.VM);
        } else if ((natives == 0 && javas == 0) || (sample[FLAGS] & LOST_LEAF) != 0) {
            path[length++] = names.other("[prologue or stub]", FrameKind.VM);
        }
        for (int i = natives - 1; i >= 0; i--) {
            int function = names.function(sample[HEAD + i], i > 0);
            if (function != path[length - 1] || !names.isUnnamed(function)) {
                path[length++] = function;
            }
        }
        if ((sample[FLAGS] & IN_KERNEL) != 0) {
            path[length++] = names.other("[kernel]", FrameKind.KERNEL);
        }
        return length;
    }

    @Override
    public void close() {
        NativeSampler.stop();
        try {
            names.close();
        } catch (IOException e) {
            // files that were only read
        } finally {
            TAKEN.set(false);
        }
    }
}
