package io.remora.profile;

import org.jspecify.annotations.Nullable;

/**
 * The sampler of {@code proxy/native/profile}, which the runtime images have. One profile at a time uses it.
 *
 * <p>Cost: a library of 20 kB, loaded by the first profile, which stays.
 */
final class NativeSampler {
    /** Revision of the library that this class was made with, as {@code jni_profile.c} has it. */
    private static final int REVISION = 3;
    /** Numbers of a sample at most. */
    static final int NUMBERS = 6 + 32 + 48 + 128;
    /** Result of {@link #arm} for a thread that is sampled by an event of perf. */
    static final int BY_EVENT = -1;
    /** Result of {@link #arm} for a thread that is sampled by a timer. */
    static final int BY_TIMER = 0;

    private static final @Nullable String PROBLEM = load();

    private NativeSampler() {}

    private static @Nullable String load() {
        try {
            System.loadLibrary("remora_profile");
            return revision() == REVISION ? null : "libremora_profile.so is of another version than this jar";
        } catch (UnsatisfiedLinkError e) {
            return "this JDK does not find libremora_profile.so, which the runtime images have";
        }
    }

    /** Returns why there is no sampler, null where there is one. */
    static @Nullable String problem() {
        return PROBLEM;
    }

    private static native int revision();

    /**
     * Begins a profile: gives identifiers to all methods and takes the signal, or has the VM report events.
     *
     * @param kind the number of a {@link ProfileKind}
     * @param interval bytes between two samples of allocations
     * @return what is wrong, null where nothing is
     */
    static native @Nullable String start(int kind, int interval);

    /** Ends all timers and events, and frees what a profile needed. Samples that were not taken are lost. */
    static native void stop();

    /**
     * Samples a thread once per interval of its CPU time from now on.
     *
     * @return {@link #BY_EVENT}, {@link #BY_TIMER}, or an errno if it cannot be sampled
     */
    static native int arm(int tid, long intervalNs);

    /** Returns the errno of perf_event_open, or of the last thread that could not have an event. 0 if all have one. */
    static native int perfError();

    /** Returns the number of functions of the kernel whose addresses are known, 0 without events of perf. */
    static native int kernelFunctions();

    /** Ends the samples of a thread, which may have ended. */
    static native void disarm(int tid);

    /** Samples a thread now. Returns an errno, 0 for none. */
    static native int signal(int tid);

    /** Returns the samples for which there was no room since the start. */
    static native long dropped();

    /**
     * Fills in the names of functions of the kernel. Reads {@code /proc/kallsyms}.
     *
     * @param starts addresses at which the functions begin, in ascending order
     * @param names as many places; that of a function without a name stays null
     */
    static native void kernelNames(long[] starts, @Nullable String[] names);

    /**
     * Takes one sample. It begins with the thread, flags, the numbers of kernel frames, native frames and Java frames, and
     * the weight. The frames follow, the innermost first. Instead of a number of Java frames, there may be a reason below
     * 0. A kernel frame is the address at which its function begins, or 0.
     *
     * @return how many numbers there are, 0 without a sample
     */
    static native int take(long[] into);

    /** Returns the signature of the class in the sample that was taken last; null if it has none. */
    static native @Nullable String type();

    /** Returns {@code package/Class.method} of an identifier; null if it is unknown. */
    static native @Nullable String method(long id);

    /** Returns {@code OFFSET PATH} of an address in a library, and a function's name on a second line; null if it is in none. */
    static native @Nullable String symbol(long address);
}
