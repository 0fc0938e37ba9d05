package io.remora.metrics;

import org.jspecify.annotations.Nullable;

/**
 * What is counted and read, as text.
 *
 * <p>Owner: the admin thread; nothing here waits for an event loop. Bounds: {@link Metric}.
 */
public final class Exposition {
    private final Stats stats;
    private final LatencyTotals latency;
    private @Nullable JvmReadings jvm;

    public Exposition(Stats stats, LatencyTotals latency) {
        this.stats = stats;
        this.latency = latency;
    }

    /** In the Prometheus text format, 0.0.4. */
    public void appendMetrics(StringBuilder text, RunState state) {
        PrometheusText out = new PrometheusText(text);
        ListenerMetrics.write(out, stats.listeners());
        EndpointMetrics.write(out, stats.endpoints());
        latency.drain();
        new LatencyMetrics(out).write(latency);
        out.single(Metric.ACCESS_LOG_DROPPED, state.accessLogDropped());
        out.single(Metric.READY, state.ready() ? 1 : 0);
        writeBuild(out);
        writeMemory(out, state);
        JvmReadings readings = jvm();
        if (readings != null) {
            readings.write(out);
        }
        out.single(Metric.COMPILATIONS, PerfData.read("sun.ci.totalCompiles"));
        writeProcess(out);
    }

    /** The page of {@code /memory}. */
    public void appendMemory(StringBuilder text, RunState state) {
        MemoryReport.append(text, jvm(), state);
    }

    private @Nullable JvmReadings jvm() {
        if (jvm == null) {
            jvm = JvmReadings.create();
        }
        return jvm;
    }

    private static void writeBuild(PrometheusText out) {
        String version = Exposition.class.getPackage().getImplementationVersion();
        out.family(Metric.BUILD);
        out.sample(Metric.BUILD, "").label("version", version == null ? "unknown" : version);
        out.label("java", System.getProperty("java.version", "unknown")).value(1);
    }

    private static void writeMemory(PrometheusText out, RunState state) {
        Runtime runtime = Runtime.getRuntime();
        out.single(Metric.HEAP_USED, runtime.totalMemory() - runtime.freeMemory());
        out.single(Metric.HEAP_COMMITTED, runtime.totalMemory());
        out.single(Metric.HEAP_MAX, runtime.maxMemory());
        out.single(Metric.DIRECT_USED, state.directUsedBytes());
        out.single(Metric.DIRECT_MAX, state.directMaxBytes());
        out.single(Metric.THREADS, liveThreads());
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
        out.single(Metric.CPU, process.cpuSeconds());
        out.single(Metric.START_TIME, process.startSeconds());
        out.single(Metric.RSS, process.rssBytes());
        out.single(Metric.RSS_ANON, process.rssAnonBytes());
        out.single(Metric.RSS_FILE, process.rssFileBytes());
        out.single(Metric.RSS_PEAK, process.rssPeakBytes());
        out.single(Metric.OPEN_FDS, process.openFds());
        out.single(Metric.MAX_FDS, process.maxFds());
        out.single(Metric.OS_THREADS, process.threads());
    }
}
