package io.remora.compilelog;

import java.io.IOException;
import java.time.Instant;

/** Facts about a log as a whole: the process, its start, and how much of it was read. */
final class LogFacts {
    private static final long UNKNOWN = -1;

    private long process = UNKNOWN;
    private long startedMs = UNKNOWN;
    private long bytes;
    private long lastMs;
    private long leastFree = Long.MAX_VALUE;
    private long leastFreeMs;
    private boolean isComplete;
    private boolean isCut;

    /** Takes the head of a log; all files of one report are of one process. */
    void begin(LogScanner scanner) throws IOException {
        long other = scanner.number("process", UNKNOWN);
        if (process != UNKNOWN && other != UNKNOWN && other != process) {
            throw scanner.malformed("a log of process " + other + " after one of process " + process);
        }
        process = other == UNKNOWN ? process : other;
        startedMs = Math.max(startedMs, scanner.number("time_ms", UNKNOWN));
    }

    void end(LogScanner scanner) {
        bytes += scanner.bytes();
        isCut |= scanner.isCut();
    }

    void complete() {
        isComplete = true;
    }

    void saw(long timeMs) {
        lastMs = Math.max(lastMs, timeMs);
    }

    void freeCode(long free, long timeMs) {
        if (free < leastFree) {
            leastFree = free;
            leastFreeMs = timeMs;
        }
    }

    long process() {
        return process;
    }

    /** Returns whether the log tells when the VM started, which only that of the VM does. */
    boolean hasStart() {
        return startedMs >= 0;
    }

    /** Returns the start of the VM in milliseconds since the epoch. */
    long startedMs() {
        return startedMs;
    }

    /** Returns the start of the VM in UTC; empty if the log does not tell. */
    String started() {
        return hasStart() ? Instant.ofEpochMilli(startedMs).toString() : "";
    }

    long bytes() {
        return bytes;
    }

    /** Returns the time of the last event. */
    long lastMs() {
        return lastMs;
    }

    /** Returns the least free space in the code cache that a compile thread saw, -1 if there is none. */
    long leastFreeCode() {
        return leastFree == Long.MAX_VALUE ? -1 : leastFree;
    }

    long leastFreeCodeMs() {
        return leastFreeMs;
    }

    /** Returns whether the log has its end, which a killed or a running VM has not written. */
    boolean isComplete() {
        return isComplete && !isCut;
    }
}
