package io.remora.compilelog;

import java.util.Locale;

/** The numbers that the report has in all and by second. Each constant is the JSON key in capitals. */
enum Count {
    /** Methods and loops queued. */
    QUEUED,
    /** Queued ones that a compile thread began. */
    STARTED,
    /** Queued methods dropped from the queue, which later JDKs log. */
    DEQUEUED,
    /** Code installed by C1 without profiling, level 1. */
    LEVEL_1,
    /** Code installed by C1 with counters, level 2. */
    LEVEL_2,
    /** Code installed by C1 with full profiling, level 3. */
    LEVEL_3,
    /** Code installed by C2, level 4. */
    LEVEL_4,
    /** Code of any level that replaces a running loop. */
    OSR,
    /** Wrappers of native methods. */
    NATIVE,
    /** Failed compilations. */
    FAILED,
    /** Returns from code to the interpreter. */
    DEOPTIMIZED,
    /** Code that gets no new callers. */
    NOT_ENTRANT,
    /** Code that was freed. */
    FREED,
    /** Call sites that were inlined. */
    INLINED,
    /** Call sites that were not inlined. */
    NOT_INLINED,
    /** Bytes of installed code. */
    CODE_BYTES,
    /** Milliseconds of compile threads of C1. */
    C1_BUSY_MS,
    /** Milliseconds of compile threads of C2. */
    C2_BUSY_MS,
    /** Times that the code cache was full. */
    CODE_CACHE_FULL,
    /** Times that the sweeper switched the compilers off. */
    COMPILER_OFF,
    /** Tasks that began to wait for a compile thread, of those that left the queue within the log. */
    WAIT_BEGUN,
    /** Tasks whose wait ended. */
    WAIT_ENDED,
    /**
     * Like {@code WAIT_BEGUN}, but until the code is installed: it serves logs without those of the compile threads.
     */
    DELAY_BEGUN,
    /** Tasks whose code was installed. */
    DELAY_ENDED;

    private static final Count[] LEVELS = {LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4};

    /** The place in an array with a number for each constant. */
    @SuppressWarnings("EnumOrdinal") // no number leaves the process
    final int place = ordinal();

    final String key = name().toLowerCase(Locale.ROOT);

    /** Returns the number of installed code of a level from 1 to 4. */
    static Count ofLevel(int level) {
        return LEVELS[level - 1];
    }

    /** Returns whether readers see it; the others are steps on the way to the number of waiting tasks. */
    boolean isShown() {
        return place < WAIT_BEGUN.place;
    }
}
