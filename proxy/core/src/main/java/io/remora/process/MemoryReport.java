package io.remora.process;

import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Report of the memory by its kind, as lines of a name and a number of bytes; unknown values are left out.
 *
 * <p>Cost: the kernel walks the page tables for the first part, which a scrape must not ask for.
 */
public final class MemoryReport {
    /** Names in the kernel's spelling; the report writes them in lower case. */
    private static final String[] KINDS = {
        "Rss",
        "Pss",
        "Pss_Anon",
        "Pss_File",
        "Shared_Clean",
        "Shared_Dirty",
        "Private_Clean",
        "Private_Dirty",
        "Anonymous",
        "Swap",
    };

    private MemoryReport() {}

    /**
     * @param directUsedBytes negative where nobody counts them
     */
    public static void append(StringBuilder out, @Nullable JvmReadings jvm, long directUsedBytes, long directMaxBytes) {
        String rollup = ProcFile.read("/proc/self/smaps_rollup");
        for (String kind : KINDS) {
            line(out, kind.toLowerCase(Locale.ROOT), ProcFile.field(rollup, kind + ':'));
        }
        ProcessReadings process = ProcessReadings.read();
        line(out, "rss_anon", process.rssAnonBytes());
        line(out, "rss_file", process.rssFileBytes());
        line(out, "rss_peak", process.rssPeakBytes());
        Runtime runtime = Runtime.getRuntime();
        line(out, "heap_used", runtime.totalMemory() - runtime.freeMemory());
        line(out, "heap_committed", runtime.totalMemory());
        line(out, "heap_reserved", runtime.maxMemory());
        if (jvm != null) {
            pools(out, jvm);
        }
        line(out, "direct_used", directUsedBytes);
        line(out, "direct_limit", directMaxBytes);
    }

    /** Appends what was the most since the start: resident memory, and each part of the code cache with its bound. */
    public static void appendPeaks(StringBuilder out, @Nullable JvmReadings jvm) {
        line(out, "rss_peak", ProcessReadings.read().rssPeakBytes());
        long peak = 0;
        long reserved = 0;
        if (jvm != null) {
            for (MemoryPoolMXBean pool : jvm.pools()) {
                if (JvmReadings.isCodeCache(pool)) {
                    peak += pool.getPeakUsage().getUsed();
                    reserved += pool.getUsage().getMax();
                }
            }
        }
        line(out, "code_cache_peak", jvm == null ? -1 : peak);
        line(out, "code_cache_reserved", jvm == null ? -1 : reserved);
    }

    private static void pools(StringBuilder out, JvmReadings jvm) {
        for (MemoryPoolMXBean pool : jvm.pools()) {
            MemoryUsage usage = pool.getUsage();
            String name = JvmReadings.isCodeCache(pool)
                    ? "code_cache_" + JvmReadings.segment(pool).replace('-', '_')
                    : pool.getName().toLowerCase(Locale.ROOT).replace(' ', '_');
            line(out, name + "_used", usage.getUsed());
            line(out, name + "_committed", usage.getCommitted());
            line(out, name + "_reserved", usage.getMax());
        }
    }

    /** One line; none where it is unknown. */
    public static void line(StringBuilder out, String name, long bytes) {
        if (bytes >= 0) {
            out.append(name).append("_bytes ").append(bytes).append('\n');
        }
    }
}
