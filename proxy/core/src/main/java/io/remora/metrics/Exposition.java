package io.remora.metrics;

import io.remora.process.CompilerState;
import io.remora.process.CompilerThreads;
import io.remora.process.JvmReadings;
import io.remora.process.MemoryReport;
import io.remora.process.PerfData;
import io.remora.process.ProcessReadings;
import io.remora.text.Pieces;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes all metrics as text.
 *
 * <p>Owner: the admin thread; nothing here waits for an event loop. Bounds: the lines of the tables ({@link Metric});
 * their labels come from the configuration, from discovery, from the code or from the JVM; from traffic only the hosts
 * of templates, within their bounds.
 */
public final class Exposition {
    /** Room for a piece with its last line, so that the page of a few endpoints is one. */
    private static final int PAGE_CHARS = Pieces.PIECE_CHARS + 1_024;

    private final Stats stats;
    private final LatencyTotals latency;
    private @Nullable JvmReadings jvm;
    private @Nullable CompilerThreads compilers;

    public Exposition(Stats stats, LatencyTotals latency) {
        this.stats = stats;
        this.latency = latency;
    }

    /** Returns the metrics in the Prometheus text format, 0.0.4. */
    public Pieces metrics(RunState state) {
        StringBuilder text = new StringBuilder(PAGE_CHARS);
        return page(text, new PrometheusText(text), state);
    }

    /** Returns the metrics in the OpenMetrics text format, 1.0, with exemplars. */
    public Pieces openMetrics(RunState state) {
        StringBuilder text = new StringBuilder(PAGE_CHARS);
        return page(text, OpenMetricsText.of(text, stats), state);
    }

    private MetricsPage page(StringBuilder text, PrometheusText out, RunState state) {
        MetricsPage page = new MetricsPage(text, out);
        for (String table : stats.tables()) {
            write(page, table, stats.rows(table));
        }
        page.add(new MetricsPage.Part() {
            @Override
            public boolean writeSome(PrometheusText to) {
                writeRest(to, state);
                return false;
            }
        });
        return page;
    }

    private static void write(MetricsPage page, String table, List<Counts<?>> rows) {
        for (Counts<?> row : rows) {
            row.refresh();
        }
        for (Counts<?> first : rows) {
            Totals.write(page, rows, first.lines());
            if (table.equals(TlsStats.TABLE_NAME)) {
                page.add(TlsStats.writeTimes(rows));
            }
            return;
        }
    }

    // what no number of endpoints makes longer
    private void writeRest(PrometheusText out, RunState state) {
        latency.drain();
        LatencyMetrics histograms = new LatencyMetrics(out);
        histograms.write(latency, ListenerMetric.values());
        histograms.write(latency, LoopMetric.values());
        out.single(ProcessMetric.ACCESS_LOG_DROPPED, state.accessLogDropped());
        out.single(ProcessMetric.ACCESS_LOG_SKIPPED, state.accessLogSkipped());
        out.single(ProcessMetric.LOG_DROPPED, state.logDropped());
        out.single(ProcessMetric.READY, state.ready() ? 1 : 0);
        writeConfig(out, state.config());
        writeBuild(out);
        writeMemory(out, state);
        JvmReadings readings = jvm();
        if (readings != null) {
            JvmMetrics.write(out, readings);
        }
        writeCompilers(out);
        out.single(ProcessMetric.COMPILATIONS, PerfData.read("sun.ci.totalCompiles"));
        writeProcess(out);
        out.end();
    }

    private void writeCompilers(PrometheusText out) {
        writeCompilerThreads(out);
        CompilerState state = CompilerState.read();
        if (state != null) {
            out.single(ProcessMetric.COMPILER_ON, state.isOn() ? 1 : 0);
            out.single(ProcessMetric.COMPILER_STOPS, state.stops());
            out.single(ProcessMetric.CODE_CACHE_FAILURES, state.failures());
            if (state.methods() >= 0) {
                out.single(ProcessMetric.COMPILED_METHODS, state.methods());
            }
        }
    }

    private void writeCompilerThreads(PrometheusText out) {
        if (compilers == null) {
            compilers = new CompilerThreads();
        }
        double[] seconds = compilers.read();
        if (seconds[0] < 0 && seconds[1] < 0) {
            return;
        }
        out.family(ProcessMetric.COMPILER_CPU);
        for (int i = 0; i < seconds.length; i++) {
            if (seconds[i] >= 0) {
                out.sample(ProcessMetric.COMPILER_CPU, CompilerThreads.name(i)).value(seconds[i]);
            }
        }
    }

    /** The page of {@code /memory}. */
    public void appendMemory(StringBuilder text, RunState state) {
        MemoryReport.append(text, jvm(), state.directUsedBytes(), state.directMaxBytes());
        MemoryState memory = state.memory();
        MemoryReport.line(text, "limit", memory.limitBytes() == 0 ? -1 : memory.limitBytes());
        MemoryReport.line(text, "limit_used", memory.usageBytes());
        MemoryReport.line(text, "pool", memory.poolBytes());
        long reserved = 0;
        long heads = 0;
        long tls = 0;
        for (LoopStats loop : stats.loops()) {
            reserved += loop.value(LoopMetric.MEMORY_RESERVED);
            heads += loop.value(LoopMetric.MEMORY_HELD);
            tls += loop.value(LoopMetric.MEMORY_TLS);
        }
        MemoryReport.line(text, "pool_reserved", reserved);
        MemoryReport.line(text, "pool_reserved_tls", tls);
        MemoryReport.line(text, "heads_held", heads);
        MemoryReport.line(text, "connection_heap_allowed", memory.connectionHeapBytes());
        MemoryReport.line(text, "exchange_heap_allowed", memory.exchangeHeapBytes());
        MemoryReport.line(text, "openssl", memory.openSslBytes());
        for (TraceStats traces : stats.<TraceStats>rows(TraceStats.TABLE_NAME)) {
            MemoryReport.line(text, "trace_queues", traces.heldBytes());
            MemoryReport.line(text, "traces_max", memory.tracesBytes());
        }
    }

    /** The head of the page of {@code /peaks}, which has what the process and the JVM remember themselves. */
    public void appendPeaks(StringBuilder text, RunState state) {
        text.append("image ").append(System.getProperty("remora.image", "unknown"));
        text.append("\nprofile ")
                .append(System.getProperty("remora.profile", "unknown"))
                .append('\n');
        MemoryReport.line(text, "heap_max", Runtime.getRuntime().maxMemory());
        MemoryReport.line(text, "direct_max", state.directMaxBytes());
        MemoryReport.appendPeaks(text, jvm());
    }

    private @Nullable JvmReadings jvm() {
        if (jvm == null) {
            jvm = JvmReadings.create();
        }
        return jvm;
    }

    private static void writeConfig(PrometheusText out, ConfigState config) {
        out.single(ProcessMetric.CONFIG_GENERATION, config.generation());
        out.family(ProcessMetric.CONFIG_RELOADS);
        out.sample(ProcessMetric.CONFIG_RELOADS, "taken").value(config.taken());
        out.sample(ProcessMetric.CONFIG_RELOADS, "refused").value(config.refused());
        out.single(ProcessMetric.CONFIG_SINCE, config.sinceMs() / 1_000);
    }

    private static void writeBuild(PrometheusText out) {
        String version = Exposition.class.getPackage().getImplementationVersion();
        String java = System.getProperty("java.version", "unknown");
        out.family(ProcessMetric.BUILD);
        out.sample(ProcessMetric.BUILD, version == null ? "unknown" : version, java)
                .value(1);
    }

    private static void writeMemory(PrometheusText out, RunState state) {
        MemoryState memory = state.memory();
        out.single(ProcessMetric.MEMORY_LIMIT, memory.limitBytes() == 0 ? -1 : memory.limitBytes());
        out.single(ProcessMetric.MEMORY_LIMIT_TOO_LOW, memory.limitTooLow());
        out.single(ProcessMetric.MEMORY_USAGE, memory.usageBytes());
        out.single(ProcessMetric.MEMORY_POOL, memory.poolBytes());
        out.single(ProcessMetric.MEMORY_CONNECTIONS, memory.connections());
        out.single(ProcessMetric.MEMORY_EXCHANGES, memory.exchanges());
        out.single(ProcessMetric.MEMORY_HANDSHAKES, memory.handshakes());
        out.single(ProcessMetric.MEMORY_OPENSSL, memory.openSslBytes());
        out.single(ProcessMetric.MEMORY_PRESSURE, memory.pressure());
        out.single(ProcessMetric.MEMORY_CHANGES, memory.changes());
        Runtime runtime = Runtime.getRuntime();
        out.single(ProcessMetric.HEAP_USED, runtime.totalMemory() - runtime.freeMemory());
        out.single(ProcessMetric.HEAP_COMMITTED, runtime.totalMemory());
        out.single(ProcessMetric.HEAP_MAX, runtime.maxMemory());
        out.single(ProcessMetric.DIRECT_USED, state.directUsedBytes());
        out.single(ProcessMetric.DIRECT_MAX, state.directMaxBytes());
        out.single(ProcessMetric.THREADS, liveThreads());
    }

    private static int liveThreads() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        for (ThreadGroup parent = group; parent != null; parent = parent.getParent()) {
            group = parent;
        }
        return group.activeCount();
    }

    private static void writeProcess(PrometheusText out) {
        ProcessReadings process = ProcessReadings.read();
        out.single(ProcessMetric.CPU, process.cpuSeconds());
        out.single(ProcessMetric.START_TIME, process.startSeconds());
        out.single(ProcessMetric.RSS, process.rssBytes());
        out.single(ProcessMetric.RSS_ANON, process.rssAnonBytes());
        out.single(ProcessMetric.RSS_FILE, process.rssFileBytes());
        out.single(ProcessMetric.RSS_PEAK, process.rssPeakBytes());
        out.single(ProcessMetric.OPEN_FDS, process.openFds());
        out.single(ProcessMetric.MAX_FDS, process.maxFds());
        out.single(ProcessMetric.OS_THREADS, process.threads());
    }
}
