package io.remora.memory;

/**
 * Memory outside the heap that the process holds and does not need. The runtime images have the library for it; elsewhere
 * nothing happens.
 *
 * <p>Thread safe. Cost: a library of 18 kB, and a millisecond for each call.
 */
public final class NativePages {
    /** Revision of the library that this class was made with, as {@code native/pages.c} has it. */
    static final int REVISION = 4;

    private static final int NONE = -1;
    /** Revision of the library that was found: 0 for one that has none. */
    private static final int FOUND = load();

    private static final boolean THERE = FOUND == REVISION;

    private NativePages() {}

    private static int load() {
        try {
            System.loadLibrary("remora");
        } catch (UnsatisfiedLinkError e) {
            return NONE;
        }
        try {
            return revision();
        } catch (UnsatisfiedLinkError e) {
            return 0;
        }
    }

    /** Returns whether the library is there, with its functions beyond those of this class. */
    public static boolean isThere() {
        return THERE;
    }

    /** Returns whether a library of another revision is there, of which nothing is used. */
    public static boolean isAnother() {
        return !THERE && FOUND != NONE;
    }

    /** Returns why the library is not there, as the end of a sentence. */
    public static String whyNot() {
        return isAnother() ? "the one that is there is of another version than this jar" : "this JDK does not find it";
    }

    /**
     * Releases the pages of libraries and of the archive of classes, of which a start reads many that nothing reads again.
     * They leave the active list and this process: madvise(2), MADV_COLD and MADV_DONTNEED. A fault maps one again from the kernel's cache.
     */
    public static void dropFiles() {
        if (THERE) {
            drop();
        }
    }

    /**
     * Has the kernel read no more of these files from now on than needed. Under a low limit its read-ahead, up to
     * megabytes by the disk's setting, pushes out pages that are in use: madvise(2), MADV_RANDOM.
     */
    public static void readSingly() {
        if (THERE) {
            single();
        }
    }

    /** Has the C library give free memory back: malloc_trim(3). */
    static void trimHeap() {
        if (THERE) {
            trim();
        }
    }

    private static native int revision();

    private static native void drop();

    private static native void single();

    private static native void trim();
}
