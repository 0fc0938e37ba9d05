package io.remora.compilelog;

/**
 * The part of the log that is reported, in milliseconds since the start of the VM.
 *
 * @param toMs the first millisecond after it
 */
record Window(long fromMs, long toMs) {
    static final Window ALL = new Window(0, Long.MAX_VALUE);

    private static final long MS = 1_000;

    boolean isAll() {
        return equals(ALL);
    }

    /** Returns the range in words. */
    @Override
    public String toString() {
        String from = "from second " + fromMs / MS;
        return toMs == Long.MAX_VALUE ? from : from + " to " + toMs / MS;
    }

    boolean has(long ms) {
        return ms >= fromMs && ms < toMs;
    }

    /** Returns the time, moved into the window. */
    long clip(long ms) {
        return Math.max(fromMs, Math.min(ms, toMs));
    }
}
