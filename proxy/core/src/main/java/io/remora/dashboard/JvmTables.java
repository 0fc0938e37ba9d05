package io.remora.dashboard;

import io.remora.process.JvmReadings;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's code cache, compiler, collections and metaspace; nothing where the image has no java.management.
 *
 * <p>Owner: the admin thread. Cost: the beans of {@link JvmReadings}.
 */
final class JvmTables {
    private static final String[] JVM = {"cms", "cls", "mtu", "mtc"};
    private static final String[] SEGMENT = {"n", "used", "com", "max"};
    private static final String[] COLLECTOR = {"n", "ex", "ms"};
    private static final double MS_PER_SECOND = 1_000;

    private final @Nullable JvmReadings jvm = JvmReadings.create();
    private final RateWindow compiler = new RateWindow(LivePage.SLOW_PERIOD);

    void read(LiveRows rows, long nowNs) {
        if (jvm == null) {
            return;
        }
        LiveRow row = rows.row('j', "", JVM);
        row.put("cls", jvm.loadedClasses());
        double seconds = jvm.compileSeconds();
        if (seconds >= 0) {
            compiler.add((long) (seconds * MS_PER_SECOND), 0, nowNs);
            row.putHundredths("cms", compiler.hundredthsPerSecond());
        }
        for (MemoryPoolMXBean pool : jvm.pools()) {
            MemoryUsage usage = pool.getUsage();
            if (JvmReadings.isCodeCache(pool)) {
                putSegment(rows, JvmReadings.segment(pool), usage);
            } else if (pool.getName().equals("Metaspace")) {
                row.put("mtu", ProcessTables.kib(usage.getUsed()));
                row.put("mtc", ProcessTables.kib(usage.getCommitted()));
            }
        }
        for (GarbageCollectorMXBean collector : jvm.collectors()) {
            LiveRow of = rows.row('g', collector.getName(), COLLECTOR);
            of.putText("n", collector.getName());
            of.put("ex", collector.getCollectionCount());
            of.put("ms", collector.getCollectionTime());
        }
    }

    private static void putSegment(LiveRows rows, String name, MemoryUsage usage) {
        LiveRow row = rows.row('k', name, SEGMENT);
        row.putText("n", name);
        row.put("used", ProcessTables.kib(usage.getUsed()));
        row.put("com", ProcessTables.kib(usage.getCommitted()));
        row.putKnown("max", ProcessTables.kib(usage.getMax()));
    }
}
