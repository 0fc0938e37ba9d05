package io.remora.tls;

/** Limits a repeated warning to one a day. Owner: one thread at a time. */
final class Daily {
    private static final long DAY_MS = 86_400_000L;

    private long nextMs;

    /** Returns whether the warning is due, and counts it as logged then. */
    boolean isDue(long nowMs) {
        if (nowMs < nextMs) {
            return false;
        }
        nextMs = nowMs + DAY_MS;
        return true;
    }
}
