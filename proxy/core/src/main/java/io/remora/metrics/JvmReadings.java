package io.remora.metrics;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What only java.lang.management can say of the JVM: collections, metaspace, code cache, compile time, classes.
 *
 * <p>Owner: the admin thread. Cost: over a hundred classes, so nothing touches this before the first scrape. No MBean
 * server is started.
 */
final class JvmReadings {
    private static final double MS_PER_SECOND = 1_000;

    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans();
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    private final @Nullable CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
    private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();

    private JvmReadings() {}

    /** Null in a runtime image without the module java.management. */
    static @Nullable JvmReadings create() {
        try {
            return new JvmReadings();
        } catch (LinkageError e) {
            return null;
        }
    }

    void write(PrometheusText out) {
        writeCollections(out);
        writeMetaspace(out);
        writeCodeCache(out);
        if (compilation != null && compilation.isCompilationTimeMonitoringSupported()) {
            out.single(Metric.COMPILE_TIME, compilation.getTotalCompilationTime() / MS_PER_SECOND);
        }
        out.single(Metric.CLASSES, classes.getLoadedClassCount());
    }

    private void writeCollections(PrometheusText out) {
        out.family(Metric.GC_COLLECTIONS);
        for (GarbageCollectorMXBean collector : collectors) {
            out.sample(Metric.GC_COLLECTIONS, "").label("collector", collector.getName());
            out.value(collector.getCollectionCount());
        }
        out.family(Metric.GC_PAUSE);
        for (GarbageCollectorMXBean collector : collectors) {
            out.sample(Metric.GC_PAUSE, "").label("collector", collector.getName());
            out.value(collector.getCollectionTime() / MS_PER_SECOND);
        }
    }

    private void writeMetaspace(PrometheusText out) {
        for (MemoryPoolMXBean pool : pools) {
            if (pool.getName().equals("Metaspace")) {
                out.single(Metric.METASPACE_USED, pool.getUsage().getUsed());
                out.single(Metric.METASPACE_COMMITTED, pool.getUsage().getCommitted());
            }
        }
    }

    private void writeCodeCache(PrometheusText out) {
        writeCodeCache(out, Metric.CODE_CACHE_USED);
        writeCodeCache(out, Metric.CODE_CACHE_COMMITTED);
        writeCodeCache(out, Metric.CODE_CACHE_RESERVED);
    }

    private void writeCodeCache(PrometheusText out, Metric metric) {
        out.family(metric);
        for (MemoryPoolMXBean pool : pools) {
            if (pool.getName().startsWith("Code")) {
                out.sample(metric, "").label("segment", segment(pool.getName()));
                out.value(value(metric, pool.getUsage()));
            }
        }
    }

    private static long value(Metric metric, MemoryUsage usage) {
        if (metric == Metric.CODE_CACHE_USED) {
            return usage.getUsed();
        }
        return metric == Metric.CODE_CACHE_COMMITTED ? usage.getCommitted() : usage.getMax();
    }

    /**
     * {@code profiled-nmethods} of {@code CodeHeap 'profiled nmethods'}; {@code all} where there is one segment only.
     */
    private static String segment(String pool) {
        int from = pool.indexOf('\'');
        int to = pool.lastIndexOf('\'');
        return from < to ? pool.substring(from + 1, to).replace(' ', '-') : "all";
    }

    /** Two columns: name of what is measured, bytes. */
    void appendPools(StringBuilder out) {
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage usage = pool.getUsage();
            String name = pool.getName().startsWith("Code")
                    ? "code_cache_" + segment(pool.getName()).replace('-', '_')
                    : pool.getName().toLowerCase(Locale.ROOT).replace(' ', '_');
            MemoryReport.line(out, name + "_used", usage.getUsed());
            MemoryReport.line(out, name + "_committed", usage.getCommitted());
            MemoryReport.line(out, name + "_reserved", usage.getMax());
        }
    }
}
