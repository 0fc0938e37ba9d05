package io.remora.memory;

import java.util.concurrent.TimeUnit;

/**
 * The release of memory that the process holds and no longer needs: what only its start needs, and what a burst of traffic has left.
 *
 * <p>Owner: the watch. Cost: a few numbers.
 */
final class MemoryRelease {
    /** The first looks, during which most of the code that carries traffic is loaded and compiled. */
    private static final int FIRST = 4;

    /** The compiler works for about a minute, and each of its arenas leaves free memory between blocks that stay. */
    private static final long LAST_NS = TimeUnit.SECONDS.toNanos(60);

    /** Time between trims, as the watch looks more often under pressure, when trimming is dearest. */
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(5);

    /** The least time between two releases of file pages while the kernel charges too much. */
    private static final long FILES_NS = TimeUnit.SECONDS.toNanos(1);

    /** The longest time between two releases while releasing frees nothing. */
    private static final long MOST_FILES_NS = TimeUnit.SECONDS.toNanos(60);

    /** Growth of the heap below which no burst is the cause. */
    private static final long GROWN_BYTES = 2 << 20;

    /** Looks in a row at which a burst must be over, so that the pause falls into no pause of the burst. */
    private static final int QUIET_LOOKS = 5;

    /**
     * Collections in a row, as the serial collector shrinks its heap in steps: by nothing, a tenth, four tenths, and
     * all.
     */
    private static final int COLLECTIONS = 4;

    /** Looks after a burst, while the connections that it left are closed as idle: within a minute by default. */
    private static final int SETTLING_LOOKS = 60;

    /** Looks between two releases of file pages that were read meanwhile. */
    private static final int SETTLING_STEP = 10;

    private final long heapStartBytes;

    private int looks;
    private long beganNs;
    private long trimmedNs;
    private boolean trims;

    private long filesReleasedNs = System.nanoTime() - FILES_NS;
    private long filesNs = FILES_NS;
    /** Active file pages at the last release, in bytes. */
    private long releasedFileBytes = Long.MAX_VALUE;

    private long heapFloorBytes;
    private int quietLooks;
    /** True while memory of a burst has not been returned. */
    private boolean burst;
    /** Looks that are left after a burst. */
    private int settlingLooks;

    MemoryRelease(long heapStartBytes) {
        this.heapStartBytes = heapStartBytes;
        this.heapFloorBytes = heapStartBytes;
    }

    // ---- after the start

    /** Counts a look at {@code nowNs}, and releases what the start has left. */
    void afterStart(long nowNs) {
        look(nowNs);
        if (releasesFiles()) {
            NativePages.dropFiles();
        }
        if (trimsHeap()) {
            NativePages.trimHeap();
        }
    }

    /** Counts a look at {@code nowNs}. */
    void look(long nowNs) {
        if (looks == 0) {
            beganNs = nowNs;
        }
        looks = Math.min(looks + 1, FIRST + 1);
        trims = looks <= FIRST || nowNs - beganNs <= LAST_NS && nowNs - trimmedNs >= STEP_NS;
        if (trims) {
            trimmedNs = nowNs;
        }
    }

    /** True if file pages are released after this look. */
    boolean releasesFiles() {
        return looks <= FIRST;
    }

    /** True if the C library's free memory is released after this look. */
    boolean trimsHeap() {
        return trims;
    }

    // ---- under pressure

    /**
     * Releases file pages, but less and less often while that frees nothing, as where other processes map the same files.
     *
     * @param activeBytes of active file pages, as the kernel charges them now
     */
    void releaseFiles(long activeBytes, long nowNs) {
        if (nowNs - filesReleasedNs >= filesNs) {
            filesNs = activeBytes < releasedFileBytes ? FILES_NS : Math.min(2 * filesNs, MOST_FILES_NS);
            filesReleasedNs = nowNs;
            releasedFileBytes = activeBytes;
            NativePages.dropFiles();
        }
    }

    // ---- after a burst

    /**
     * Releases the memory of a burst, when it is over: buffers that the C library keeps, and a heap that has grown. No other collection
     * would come while nothing happens, and those that do are partial.
     *
     * @param isQuiet whether little is reserved, and there is no pressure
     * @return whether there is, or will be, something to release
     */
    @SuppressWarnings("CallToSystemGC")
    boolean afterBurst(boolean isQuiet) {
        if (!isQuiet) {
            quietLooks = 0;
            settlingLooks = 0;
            burst = true;
            return true;
        }
        if (!burst && !hasHeapGrown()) {
            return false;
        }
        if (++quietLooks < QUIET_LOOKS) {
            return true;
        }
        if (hasHeapGrown()) {
            System.gc();
            if (quietLooks < QUIET_LOOKS + COLLECTIONS - 1 && hasHeapGrown()) {
                return true;
            }
        }
        NativePages.trimHeap();
        NativePages.dropFiles();
        quietLooks = 0;
        burst = false;
        settlingLooks = SETTLING_LOOKS;
        // what is left is needed; only more than that is a burst's again
        heapFloorBytes = Math.max(heapStartBytes, Runtime.getRuntime().totalMemory());
        return false;
    }

    /** Returns whether more remains to be released after a burst, now or later. */
    boolean settle() {
        if (settlingLooks == 0) {
            return false;
        }
        settlingLooks--;
        if (settlingLooks % SETTLING_STEP == 0) {
            NativePages.dropFiles();
        }
        return settlingLooks > 0;
    }

    private boolean hasHeapGrown() {
        return Runtime.getRuntime().totalMemory() - heapFloorBytes >= GROWN_BYTES;
    }
}
