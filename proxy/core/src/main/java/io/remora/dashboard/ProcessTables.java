package io.remora.dashboard;

import io.remora.log.Log;
import io.remora.metrics.ConfigState;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.LoopLags;
import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import io.remora.metrics.MemoryState;
import io.remora.metrics.RunState;
import io.remora.metrics.Stats;
import io.remora.process.ProcessReadings;
import java.util.Locale;

/**
 * The memory of the process by kind, its event loops and its configuration.
 *
 * <p>Owner: the admin thread. Cost: three files of the kernel for slow figures.
 */
final class ProcessTables {
    private static final String[] PROCESS = {
        "start", "ready", "cpu", "thr", "fds", "fdm", "rss", "anon", "file", "peak", "lim", "use", "heapu", "heapc",
        "heapm", "dir", "dirm", "pool", "res", "ssl", "press", "exm", "com"
    };
    private static final String[] LOOP = {"n", "p50", "p99", "max", "stalls"};
    private static final String[] CONFIG = {"gen", "since", "taken", "refused", "at", "last", "lvl"};

    private static final int REPORT_CHARS = 1_000;
    private static final double MS_PER_SECOND = 1_000;
    /** Hundredths of a millisecond a second in a hundredth of a percent. */
    private static final long PER_PERCENT = 10;

    private final Stats stats;
    private final LoopLags lags;
    private final RateWindow cpu = new RateWindow(LivePage.SLOW_PERIOD);

    ProcessTables(Stats stats, LatencyTotals totals) {
        this.stats = stats;
        this.lags = new LoopLags(totals);
    }

    /** Reads the state, the heap, the memory by its plan and the configuration. */
    void read(LiveRows rows, RunState state) {
        LiveRow row = rows.row('p', "", PROCESS);
        row.put("ready", state.ready() ? 1 : 0);
        putHeap(row, state);
        putMemory(row, state.memory());
        putConfig(rows.row('c', "", CONFIG), state.config());
    }

    /** Reads what the kernel tells, and the delays of the loops. Cost: 0.7 ms on a busy core, several times that of {@link #read}. */
    void readSlow(LiveRows rows, long nowNs) {
        ProcessReadings process = ProcessReadings.read();
        LiveRow row = rows.row('p', "", PROCESS);
        row.put("start", (long) process.startSeconds());
        cpu.add((long) (process.cpuSeconds() * MS_PER_SECOND), 0, nowNs);
        row.putHundredths("cpu", cpu.hundredthsPerSecond() / PER_PERCENT);
        row.putKnown("thr", process.threads());
        row.putKnown("fds", process.openFds());
        row.putKnown("fdm", process.maxFds());
        row.putKnown("rss", kib(process.rssBytes()));
        row.putKnown("anon", kib(process.rssAnonBytes()));
        row.putKnown("file", kib(process.rssFileBytes()));
        row.putKnown("peak", kib(process.rssPeakBytes()));
        for (LoopStats loop : stats.loops()) {
            putLoop(rows, loop);
        }
    }

    private void putHeap(LiveRow row, RunState state) {
        Runtime runtime = Runtime.getRuntime();
        row.put("heapu", kib(runtime.totalMemory() - runtime.freeMemory()));
        row.put("heapc", kib(runtime.totalMemory()));
        row.put("heapm", kib(runtime.maxMemory()));
        row.putKnown("dir", kib(state.directUsedBytes()));
        row.putKnown("dirm", kib(state.directMaxBytes()));
        long reserved = 0;
        for (LoopStats loop : stats.loops()) {
            reserved += loop.value(LoopMetric.MEMORY_RESERVED);
        }
        row.put("res", kib(reserved));
    }

    private static void putMemory(LiveRow row, MemoryState memory) {
        row.putKnown("lim", memory.limitBytes() <= 0 ? -1 : kib(memory.limitBytes()));
        row.putKnown("use", kib(memory.usageBytes()));
        row.putKnown("pool", kib(memory.poolBytes()));
        row.putKnown("ssl", memory.openSslBytes() <= 0 ? -1 : kib(memory.openSslBytes()));
        row.put("press", memory.pressure());
        row.putKnown("exm", memory.exchanges());
        row.putKnown("com", memory.connections());
    }

    private void putLoop(LiveRows rows, LoopStats loop) {
        String name = loop.name();
        LiveRow row = rows.row('o', name, LOOP);
        row.putText("n", name);
        long[] us = Traffic.us(lags.of(loop));
        row.put("p50", us[0]);
        row.put("p99", us[1]);
        row.put("max", us[2]);
        row.put("stalls", loop.value(LoopMetric.STALLS));
    }

    private static void putConfig(LiveRow row, ConfigState config) {
        row.put("gen", config.generation());
        row.put("since", config.sinceMs());
        row.put("taken", config.taken());
        row.put("refused", config.refused());
        row.putKnown("at", config.lastMs() == 0 ? -1 : config.lastMs());
        String last = config.last();
        row.putText("last", last.length() <= REPORT_CHARS ? last : last.substring(0, REPORT_CHARS) + "...");
        row.putText("lvl", Log.level().name().toLowerCase(Locale.ROOT));
    }

    /** Returns KiB; -1 for an unknown size. */
    static long kib(long bytes) {
        return bytes < 0 ? -1 : bytes >> 10;
    }
}
