package io.remora.feature.grpc;

import io.remora.metrics.Metric;
import io.remora.metrics.StatsRow;
import java.util.List;

/** The table of counters of this feature, for tests of the whole page. */
public final class GrpcMethodTable {
    private GrpcMethodTable() {}

    public static List<Metric> lines() {
        return List.of(GrpcMethodMetric.values());
    }

    /** Returns the row of a method, with one call of a status that has ended so. */
    public static StatsRow row(String listener, String status) {
        GrpcMethodStats row = new GrpcMethodStats(listener, "/a.B/C", status);
        row.ended(status);
        return row;
    }
}
