package io.remora.tls;

/** What is said once a day at most, for as long as it holds. Owner: one thread at a time. */
final class Daily {
    private static final long DAY_MS = 86_400_000L;

    private long nextMs;

    /** Whether to say it now; then it has been said. */
    boolean isDue(long nowMs) {
        if (nowMs < nextMs) {
            return false;
        }
        nextMs = nowMs + DAY_MS;
        return true;
    }
}
