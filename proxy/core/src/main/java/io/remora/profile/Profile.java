package io.remora.profile;

import io.remora.flame.CallTree;
import io.remora.flame.FrameKind;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A profile of the process by a {@link ProfileKind}.
 *
 * <p>Owner: the thread that begins and runs it. Bounds: one at a time in the process; the nodes and frames of a {@link CallTree}. Cost:
 * some tens of microseconds a sample; what stays is the library and, after samples by signals, an identifier for each method
 * of each loaded class.
 */
public final class Profile implements AutoCloseable {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long NS_PER_MS = 1_000_000L;

    // a sample, as the library has it
    private static final int TID = 0;
    private static final int FLAGS = 1;
    private static final int KERNELS = 2;
    private static final int NATIVES = 3;
    private static final int JAVAS = 4;
    private static final int WEIGHT = 5;
    private static final int HEAD = 6;

    /** Frames of Java that a sample has at most; the outer ones are missing. */
    private static final int MAX_JAVA = 128;

    // flags of a sample
    private static final int IN_KERNEL = 1;
    private static final int LOST_LEAF = 2;
    private static final int HAS_TYPE = 4;

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
    private final ProfileKind kind;
    private final Sampling sampling;
    private final long[] sample = new long[NativeSampler.NUMBERS];
    private final int[] path = new int[NativeSampler.NUMBERS + 1];
    private @Nullable Moments moments;
    private long samples;
    private long dropped;

    private Profile(ProfileKind kind, int rate) {
        this.kind = kind;
        sampling = switch (kind) {
            case CPU, KERNEL -> new CpuTimers(rate, names, kind == ProfileKind.KERNEL);
            case WALL -> new WallSignals(rate, names);
            case ALLOC, LOCK -> new SampledEvents(rate);
        };
    }

    /**
     * Begins a profile, which has to be closed.
     *
     * @param rate samples per second of a thread, or bytes between two samples; within the bounds of the kind
     * @return null while another one is being taken
     * @throws IOException if the VM or the kernel does not allow it
     */
    public static @Nullable Profile begin(ProfileKind kind, int rate) throws IOException {
        if (!TAKEN.compareAndSet(false, true)) {
            return null;
        }
        String problem = NativeSampler.problem();
        problem = problem == null ? NativeSampler.start(kind.number, rate) : problem;
        if (problem != null) {
            TAKEN.set(false);
            throw new IOException(problem);
        }
        try {
            Profile profile = new Profile(kind, rate);
            profile.sampling.at(0);
            return profile;
        } catch (IOException | RuntimeException | Error e) {
            NativeSampler.stop();
            TAKEN.set(false);
            throw e;
        }
    }

    /** Keeps samples by second, for {@link #split}. Order: before the profile runs, whose tree stays without counts. */
    public void keepSeconds() {
        moments = new Moments();
    }

    /**
     * Counts the samples of these seconds as those of now, and all others as those of before. Order: once, after the
     * profile ran.
     *
     * @param now by second of the profile
     */
    public void split(boolean[] now) {
        Moments kept = moments;
        if (kept == null) {
            throw new IllegalStateException("no seconds were kept");
        }
        kept.split(tree, now);
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
        } finally {
            NativeSampler.stop();
        }
        names.nameKernel();
        return tree;
    }

    private void sample(long durationNs, Progress progress) throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        long told = 0;
        while (true) {
            long elapsedNs = System.nanoTime() - startNs;
            long leftMs = (durationNs - elapsedNs) / NS_PER_MS;
            if (leftMs <= 0) {
                break;
            }
            sampling.at(elapsedNs);
            if (elapsedNs / NS_PER_S > told) {
                told = elapsedNs / NS_PER_S;
                progress.at(told, samples);
            }
            Thread.sleep(Math.min(sampling.stepMs(), leftMs));
            drain((int) (elapsedNs / NS_PER_S));
        }
    }

    /** Returns the number of samples. */
    public long samples() {
        return samples;
    }

    /** Returns what a sample stands for, in nanoseconds or bytes; 0 if that differs between samples. */
    public long period() {
        return sampling.period();
    }

    /** Returns how the samples are taken, for a reader of the profile. */
    public String method() {
        return sampling.method();
    }

    /** Returns the samples for which the buffer had no room. */
    public long dropped() {
        return dropped;
    }

    private void drain(int second) {
        Moments kept = moments;
        while (NativeSampler.take(sample) > 0) {
            // one of a long system call stands for several
            samples += kind == ProfileKind.KERNEL ? sample[WEIGHT] : 1;
            int length = path();
            if (kept == null) {
                tree.add(path, length, weight(), CallTree.NOW);
            } else {
                kept.add(tree.place(path, length), weight(), second);
            }
        }
    }

    /**
     * Returns what the sample adds. An object of s bytes is sampled with the probability 1 - exp(-s/interval), so it stands
     * for s divided by that: for about an interval if it is small, and for itself if it is large.
     */
    private long weight() {
        long weight = sample[WEIGHT];
        return kind == ProfileKind.ALLOC
                ? Math.round(weight / (1 - Math.exp(-(double) weight / sampling.period())))
                : weight;
    }

    /** Fills the path with the sample's frames from the root on; returns their number. */
    private int path() {
        int kernels = (int) sample[KERNELS];
        int natives = (int) sample[NATIVES];
        int javas = (int) sample[JAVAS];
        int firstNative = HEAD + kernels;
        int length = 0;
        path[length++] = names.thread((int) sample[TID]);
        if (javas == MAX_JAVA) {
            path[length++] = names.other("[truncated]", FrameKind.VM);
        }
        for (int i = javas - 1; i >= 0; i--) {
            path[length++] = names.method(sample[firstNative + natives + i]);
        }
        if ((sample[FLAGS] & HAS_TYPE) != 0) {
            path[length++] = names.type(NativeSampler.type());
            return length;
        }
        if (javas < 0 && (javas != OUTSIDE_JAVA || natives == 0)) {
            int reason = -javas < REASONS.length ? -javas : 0;
            path[length++] = names.other('[' + REASONS[reason] + ']', FrameKind.VM);
        } else if ((natives == 0 && javas == 0) || (sample[FLAGS] & LOST_LEAF) != 0) {
            path[length++] = names.other("[prologue or stub]", FrameKind.VM);
        }
        for (int i = natives - 1; i >= 0; i--) {
            int function = names.function(sample[firstNative + i], i > 0);
            if (function != path[length - 1] || !names.isUnnamed(function)) {
                path[length++] = function;
            }
        }
        return (sample[FLAGS] & IN_KERNEL) == 0 ? length : addKernel(length, kernels);
    }

    private int addKernel(int from, int kernels) {
        int length = from;
        path[length++] = names.other("[kernel]", FrameKind.KERNEL);
        for (int i = kernels - 1; i >= 0; i--) {
            if (sample[HEAD + i] != 0) {
                path[length++] = names.kernelFunction(sample[HEAD + i]);
            }
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
