package io.remora.metrics;

import org.jspecify.annotations.Nullable;

/**
 * Where the memory is, as lines of a name and a number of bytes; what is unknown is left out.
 *
 * <p>Cost: the kernel walks the page tables for the first part, which a scrape must not ask for.
 */
final class MemoryReport {
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
    private static final String[] NAMES = {
        "rss",
        "pss",
        "pss_anon",
        "pss_file",
        "shared_clean",
        "shared_dirty",
        "private_clean",
        "private_dirty",
        "anonymous",
        "swap",
    };

    private MemoryReport() {}

    static void append(StringBuilder out, @Nullable JvmReadings jvm, RunState state) {
        String rollup = ProcFile.read("/proc/self/smaps_rollup");
        for (int i = 0; i < KINDS.length; i++) {
            line(out, NAMES[i], ProcFile.field(rollup, KINDS[i] + ':'));
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
            jvm.appendPools(out);
        }
        line(out, "direct_used", state.directUsedBytes());
        line(out, "direct_limit", state.directMaxBytes());
    }

    static void line(StringBuilder out, String name, long bytes) {
        if (bytes >= 0) {
            out.append(name).append("_bytes ").append(bytes).append('\n');
        }
    }
}
