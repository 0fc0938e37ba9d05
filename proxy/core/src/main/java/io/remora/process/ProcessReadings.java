package io.remora.process;

import java.io.File;

/**
 * Readings of this process from the kernel. Immutable; {@link ProcFile#UNKNOWN} where the kernel gives none, as on
 * systems other than Linux.
 *
 * @param cpuSeconds user and system, as fine as the kernel's clock tick
 * @param startSeconds since the epoch
 * @param rssFileBytes shared memory included
 */
public record ProcessReadings(
        double cpuSeconds,
        double startSeconds,
        long rssBytes,
        long rssAnonBytes,
        long rssFileBytes,
        long rssPeakBytes,
        long threads,
        long openFds,
        long maxFds) {
    /** Ticks in a second: the kernel shows hundredths to every program, independent of its own clock. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int UTIME = 11;
    private static final int STIME = 12;
    private static final int START = 19;
    /** Read once, so that it never moves when the wall clock is set. */
    private static final double START_SECONDS = readStartSeconds();

    public static ProcessReadings read() {
        String status = ProcFile.read("/proc/self/status");
        String stat = ProcFile.read("/proc/self/stat");
        // The second field, a name in parentheses, may hold anything.
        int fields = stat.lastIndexOf(')') + 1;
        long file = ProcFile.field(status, "RssFile:");
        return new ProcessReadings(
                cpuSeconds(stat, fields),
                START_SECONDS,
                ProcFile.field(status, "VmRSS:"),
                ProcFile.field(status, "RssAnon:"),
                file < 0 ? file : file + Math.max(0, ProcFile.field(status, "RssShmem:")),
                ProcFile.field(status, "VmHWM:"),
                ProcFile.field(status, "Threads:"),
                countFds(),
                ProcFile.field(ProcFile.read("/proc/self/limits"), "Max open files"));
    }

    private static double cpuSeconds(String stat, int fields) {
        long userTicks = ProcFile.number(ProcFile.word(stat, fields, UTIME), 0);
        long systemTicks = ProcFile.number(ProcFile.word(stat, fields, STIME), 0);
        return userTicks < 0 || systemTicks < 0 ? ProcFile.UNKNOWN : (userTicks + systemTicks) / TICKS_PER_SECOND;
    }

    private static double readStartSeconds() {
        String stat = ProcFile.read("/proc/self/stat");
        long startTicks = ProcFile.number(ProcFile.word(stat, stat.lastIndexOf(')') + 1, START), 0);
        long uptimeSeconds = ProcFile.number(ProcFile.read("/proc/uptime"), 0);
        if (startTicks < 0 || uptimeSeconds < 0) {
            return ProcFile.UNKNOWN;
        }
        return System.currentTimeMillis() / 1_000 - uptimeSeconds + Math.floor(startTicks / TICKS_PER_SECOND);
    }

    private static long countFds() {
        File directory = new File("/proc/self/fd");
        // Newer kernels show the number as the directory's size, which spares a name for each.
        long size = directory.length();
        if (size > 0) {
            return size;
        }
        String[] names = directory.list();
        // The listing itself holds one.
        return names == null ? ProcFile.UNKNOWN : names.length - 1;
    }
}
