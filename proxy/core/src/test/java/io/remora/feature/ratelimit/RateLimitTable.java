package io.remora.feature.ratelimit;

import io.remora.metrics.Metric;
import io.remora.metrics.StatsRow;
import java.util.List;

/** The table of counters of this feature, for tests of the whole page. */
public final class RateLimitTable {
    private RateLimitTable() {}

    public static List<Metric> lines() {
        return List.of(RateLimitMetric.values());
    }

    public static StatsRow row(String listener, String limit) {
        return new RateLimitStats(listener, limit);
    }
}
