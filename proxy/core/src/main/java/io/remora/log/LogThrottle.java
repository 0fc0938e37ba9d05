package io.remora.log;

import org.jspecify.annotations.Nullable;

/**
 * Lets so many lines of one kind into the log in a period and counts the rest: who can cause one can often cause many.
 *
 * <p>Thread safe.
 */
public final class LogThrottle {
    /** Lines a minute of an event that peers can cause at will: enough to see who and how, and too few to drown the rest. */
    private static final int SOURCE_LINES = 5;

    private static final long SOURCE_NS = 60_000_000_000L;

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

    /** A throttle of one source of warnings, such as a listener's handshakes: {@value #SOURCE_LINES} lines a minute. */
    public static LogThrottle ofSource() {
        return new LogThrottle(SOURCE_LINES, SOURCE_NS);
    }

    /** The end of the line that may be written now, such as {@code " (and 3 more before)"}; null where none may. */
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
