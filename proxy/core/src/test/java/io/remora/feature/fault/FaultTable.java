package io.remora.feature.fault;

import io.remora.metrics.Metric;
import io.remora.metrics.StatsRow;
import java.util.List;

/** The table of counters of this feature, for tests of the whole page. */
public final class FaultTable {
    private FaultTable() {}

    public static List<Metric> lines() {
        return List.of(FaultMetric.values());
    }

    public static StatsRow row(String listener) {
        return new FaultStats(listener);
    }
}
