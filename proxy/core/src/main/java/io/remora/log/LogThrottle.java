package io.remora.log;

import org.jspecify.annotations.Nullable;

/**
 * Lets so many lines of one kind into the log in a period and counts the rest: who can cause one can often cause many.
 *
 * <p>Thread safe.
 */
public final class LogThrottle {
    private final int mostLines;
    private final long periodNs;
    private long sinceNs;
    private int lines;
    private long left;

    /**
     * @param mostLines in a period, which begins with its first line
     */
    public LogThrottle(int mostLines, long periodNs) {
        this.mostLines = mostLines;
        this.periodNs = periodNs;
    }

    /** What ends the line that may be written now, such as {@code " (and 3 more before)"}; null where none may. */
    public synchronized @Nullable String tail(long nowNs) {
        if (lines == 0 || nowNs - sinceNs >= periodNs) {
            sinceNs = nowNs;
            lines = 0;
        }
        if (lines == mostLines) {
            left++;
            return null;
        }
        lines++;
        String tail = left == 0 ? "" : " (and " + left + " more before)";
        left = 0;
        return tail;
    }
}
