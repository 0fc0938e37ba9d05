package io.remora.compilelog;

import org.jspecify.annotations.Nullable;

/**
 * The cause for which code gets no new callers. JDK 17 does not log it, so it follows from the events before.
 *
 * <p>Bounds: the latest 16 traps. Source: JDK 17, {@code Deoptimization::uncommon_trap_inner}, which logs a trap and
 * then invalidates its code on the same thread, and {@code ciEnv::register_method}, which installs code and then
 * replaces the old one.
 */
final class NotEntrantCause {
    private static final int TRAPS = 16;
    /** Code whose assumption a loaded class breaks is invalidated at the next safepoint. */
    private static final long DEPENDENCY_MS = 100;

    private final int[] ids = new int[TRAPS];
    private final long[] threads = new long[TRAPS];
    private final String[] reasons = new String[TRAPS];
    private int next;
    private String dependency = "";
    private long dependencyMs = -DEPENDENCY_MS;

    void trap(long thread, int id, String reason) {
        ids[next] = id;
        threads[next] = thread;
        reasons[next] = reason;
        next = (next + 1) % TRAPS;
    }

    void dependency(String type, long timeMs) {
        dependency = type;
        dependencyMs = timeMs;
    }

    /** Returns the cause for the code of a task. */
    String of(int id, long thread, boolean isOsr, @Nullable MethodRow method, long timeMs) {
        for (int i = 0; i < TRAPS; i++) {
            if (ids[i] == id && threads[i] == thread && id != 0) {
                return "uncommon trap: " + reasons[i];
            }
        }
        if (!isOsr && method != null && method.latestId != 0 && method.latestId != id) {
            return "replaced by code of level " + method.latestLevel;
        }
        if (timeMs - dependencyMs < DEPENDENCY_MS) {
            return "class loaded: " + dependency;
        }
        return isOsr ? "loop code no longer used" : "not logged";
    }
}
