package io.remora.profile;

import io.remora.flame.Measure;
import org.jspecify.annotations.Nullable;

/** The kinds of profiles. */
public enum ProfileKind {
    /** Processor time of all threads. */
    CPU(0, "cpu", "CPU profile", Measure.CPU, "hz", 100, 1, 1_000),
    /** Elapsed time of all threads, whether they run or wait. */
    WALL(1, "wall", "wall-clock profile", Measure.WALL, "hz", 20, 1, 100),
    /** Bytes that threads of Java allocate. The default is 16 samples per MiB. */
    ALLOC(2, "alloc", "allocation profile", Measure.ALLOCATED, "bytes", 65_536, 1_024, 64 << 20),
    /** Time that threads wait for monitors that other threads hold. */
    LOCK(3, "lock", "lock profile", Measure.WAITED, "", 0, 0, 0),
    /** CPU time of all threads, with the functions of the kernel if the kernel permits events of perf. */
    KERNEL(4, "kernel", "CPU and kernel profile", Measure.CPU, "hz", 100, 1, 1_000);

    /** The number of {@code jni_profile.c}. */
    final int number;

    private final String word;
    private final String title;
    private final Measure measure;
    private final String rate;
    private final int defaultRate;
    private final int leastRate;
    private final int mostRate;

    ProfileKind(
            int number,
            String word,
            String title,
            Measure measure,
            String rate,
            int defaultRate,
            int leastRate,
            int mostRate) {
        this.number = number;
        this.word = word;
        this.title = title;
        this.measure = measure;
        this.rate = rate;
        this.defaultRate = defaultRate;
        this.leastRate = leastRate;
        this.mostRate = mostRate;
    }

    /** Returns the kind with this word; null if there is none. */
    public static @Nullable ProfileKind named(String word) {
        for (ProfileKind one : values()) {
            if (one.word.equals(word)) {
                return one;
            }
        }
        return null;
    }

    /** Returns what the kind is called within a sentence. */
    public String title() {
        return title;
    }

    public Measure measure() {
        return measure;
    }

    /** Returns the parameter that says how often to sample: {@code hz} or {@code bytes}; empty without. */
    public String rate() {
        return rate;
    }

    /** Returns samples per second of a thread, or bytes between two samples. */
    public int defaultRate() {
        return defaultRate;
    }

    public int leastRate() {
        return leastRate;
    }

    public int mostRate() {
        return mostRate;
    }
}
