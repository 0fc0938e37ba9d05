package io.remora.process;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Readings that only java.lang.management has of the JVM: collections, metaspace, code cache, compile time, classes.
 *
 * <p>Owner: the admin thread. Cost: some thirty classes, so nothing touches this before the first scrape. No MBean
 * server is started.
 */
public final class JvmReadings {
    private static final double MS_PER_SECOND = 1_000;

    private final List<MemoryPoolMXBean> pools =
            JvmBeans.get("getMemoryPoolMXBeans", ManagementFactory::getMemoryPoolMXBeans);
    private final List<GarbageCollectorMXBean> collectors =
            JvmBeans.get("getGarbageCollectorMXBeans", ManagementFactory::getGarbageCollectorMXBeans);
    private final @Nullable CompilationMXBean compilation =
            JvmBeans.get("getCompilationMXBean", ManagementFactory::getCompilationMXBean);
    private final ClassLoadingMXBean classes =
            JvmBeans.get("getClassLoadingMXBean", ManagementFactory::getClassLoadingMXBean);

    private JvmReadings() {}

    /** Null in a runtime image without the module java.management. */
    public static @Nullable JvmReadings create() {
        try {
            return new JvmReadings();
        } catch (LinkageError e) {
            return null;
        }
    }

    public List<MemoryPoolMXBean> pools() {
        return pools;
    }

    public List<GarbageCollectorMXBean> collectors() {
        return collectors;
    }

    /** Negative where the JVM does not tell. */
    public double compileSeconds() {
        return compilation != null && compilation.isCompilationTimeMonitoringSupported()
                ? compilation.getTotalCompilationTime() / MS_PER_SECOND
                : -1;
    }

    public int loadedClasses() {
        return classes.getLoadedClassCount();
    }

    public static boolean isCodeCache(MemoryPoolMXBean pool) {
        return pool.getName().startsWith("Code");
    }

    /**
     * {@code profiled-nmethods} of {@code CodeHeap 'profiled nmethods'}; {@code all} where there is one segment only.
     */
    public static String segment(MemoryPoolMXBean codeCache) {
        String pool = codeCache.getName();
        int from = pool.indexOf('\'');
        int to = pool.lastIndexOf('\'');
        return from < to ? pool.substring(from + 1, to).replace(' ', '-') : "all";
    }
}
