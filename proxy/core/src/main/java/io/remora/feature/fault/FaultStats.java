package io.remora.feature.fault;

import io.remora.metrics.Counts;

/** The faults that one event loop counts for one listener. */
final class FaultStats extends Counts<FaultMetric> {
    private static final FaultMetric[] TABLE = FaultMetric.values();
    private static final String[] NONE = {};

    FaultStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    @Override
    public String table() {
        return "faults";
    }
}
