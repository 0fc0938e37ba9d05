package io.remora.compilelog;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The elements that the report needs, which are few of a log's. Each constant is the element's name in capitals. */
enum LogElement {
    /** The log of the VM begins. */
    HOTSPOT_LOG,
    /** The VM ended in order. */
    HOTSPOT_LOG_DONE,
    /** The VM names the file of a compile thread, which it merges into its log at exit. */
    THREAD_LOGFILE,
    /** A method is queued for compilation. */
    TASK_QUEUED,
    /** A queued method is no longer of interest, which later JDKs log. */
    TASK_DEQUEUED,
    /** Code is installed. */
    NMETHOD,
    /** Code gets no new callers, or is freed. */
    MAKE_NOT_ENTRANT,
    /** Code is freed, as a class in it was unloaded. */
    MAKE_UNLOADED,
    /** A compiler gives a method up. */
    MAKE_NOT_COMPILABLE,
    /** Code returns to the interpreter; without a thread, a compiler's note that it may. */
    UNCOMMON_TRAP,
    /** A frame returns to the interpreter, as its code is no longer valid. */
    DEOPTIMIZED,
    /** A loaded class contradicts what code relies on. */
    DEPENDENCY_FAILED,
    /** The code cache has no room. */
    CODE_CACHE_FULL,
    /** The sweeper frees code, or switches the compilers off and on. */
    SWEEPER,
    /** A frame of a trap. */
    JVMS,
    /** The log of a compile thread begins. */
    START_COMPILE_THREAD,
    /** A compile thread begins a method. */
    TASK,
    /** A compile thread ends a method. */
    TASK_DONE,
    /** The code cache as a compile thread sees it. */
    CODE_CACHE,
    /** A compilation fails. */
    FAILURE,
    /** A class that later elements of the task name by its id. */
    KLASS,
    /** A method that later elements of the task name by its id. */
    METHOD,
    /** A call site. */
    CALL,
    /** A call site whose method C2 inlines after parsing. */
    LATE_INLINE,
    /** The method of the last call site is inlined. */
    INLINE_SUCCESS,
    /** The method of the last call site is called. */
    INLINE_FAIL;

    /** The length of the longest name. */
    static final int MAX_LENGTH = 20;

    private static final int PLACES = 128;
    private static final @Nullable LogElement[] BY_HASH = new LogElement[PLACES];

    static {
        for (LogElement element : values()) {
            byte[] tag = element.tag.getBytes(StandardCharsets.US_ASCII);
            int place = hash(tag, tag.length);
            while (BY_HASH[place] != null) {
                place = place + 1 & PLACES - 1;
            }
            BY_HASH[place] = element;
        }
    }

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** Returns the element with the name in the first bytes of {@code name}, null if the report does not need it. */
    static @Nullable LogElement of(byte[] name, int length) {
        int place = hash(name, length);
        for (LogElement found = BY_HASH[place]; found != null; found = BY_HASH[place]) {
            if (found.is(name, length)) {
                return found;
            }
            place = place + 1 & PLACES - 1;
        }
        return null;
    }

    private boolean is(byte[] name, int length) {
        if (tag.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (tag.charAt(i) != name[i]) {
                return false;
            }
        }
        return true;
    }

    private static int hash(byte[] name, int length) {
        int hash = length;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + name[i];
        }
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
