package io.remora.metrics;

import io.remora.process.JvmReadings;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;

/** Writes the JVM's numbers from java.lang.management as text. Pure functions, used only where that module is there. */
final class JvmMetrics {
    private static final double MS_PER_SECOND = 1_000;

    private JvmMetrics() {}

    static void write(PrometheusText out, JvmReadings jvm) {
        writeCollections(out, jvm);
        writeMetaspace(out, jvm);
        writeCodeCache(out, jvm, ProcessMetric.CODE_CACHE_USED);
        writeCodeCache(out, jvm, ProcessMetric.CODE_CACHE_COMMITTED);
        writeCodeCache(out, jvm, ProcessMetric.CODE_CACHE_RESERVED);
        out.single(ProcessMetric.COMPILE_TIME, jvm.compileSeconds());
        out.single(ProcessMetric.CLASSES, jvm.loadedClasses());
    }

    private static void writeCollections(PrometheusText out, JvmReadings jvm) {
        out.family(ProcessMetric.GC_COLLECTIONS);
        for (GarbageCollectorMXBean collector : jvm.collectors()) {
            out.sample(ProcessMetric.GC_COLLECTIONS, collector.getName()).value(collector.getCollectionCount());
        }
        out.family(ProcessMetric.GC_PAUSE);
        for (GarbageCollectorMXBean collector : jvm.collectors()) {
            out.sample(ProcessMetric.GC_PAUSE, collector.getName())
                    .value(collector.getCollectionTime() / MS_PER_SECOND);
        }
    }

    private static void writeMetaspace(PrometheusText out, JvmReadings jvm) {
        for (MemoryPoolMXBean pool : jvm.pools()) {
            if (pool.getName().equals("Metaspace")) {
                out.single(ProcessMetric.METASPACE_USED, pool.getUsage().getUsed());
                out.single(ProcessMetric.METASPACE_COMMITTED, pool.getUsage().getCommitted());
            }
        }
    }

    private static void writeCodeCache(PrometheusText out, JvmReadings jvm, ProcessMetric metric) {
        out.family(metric);
        for (MemoryPoolMXBean pool : jvm.pools()) {
            if (JvmReadings.isCodeCache(pool)) {
                out.sample(metric, JvmReadings.segment(pool)).value(value(metric, pool.getUsage()));
            }
        }
    }

    private static long value(ProcessMetric metric, MemoryUsage usage) {
        if (metric == ProcessMetric.CODE_CACHE_USED) {
            return usage.getUsed();
        }
        return metric == ProcessMetric.CODE_CACHE_COMMITTED ? usage.getCommitted() : usage.getMax();
    }
}
