package io.remora.feature.mirror;

import io.remora.metrics.Metric;
import io.remora.metrics.StatsRow;
import java.util.List;

/** The table of counters of this feature, for tests of the whole page. */
public final class MirrorTable {
    private MirrorTable() {}

    public static List<Metric> lines() {
        return List.of(MirrorMetric.values());
    }

    public static StatsRow row(String listener) {
        return new MirrorStats(listener);
    }
}
