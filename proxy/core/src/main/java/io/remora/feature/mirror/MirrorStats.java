package io.remora.feature.mirror;

import io.remora.metrics.Counts;
import io.remora.metrics.Stats;

/** Counts of one event loop for one listener, about the copies of its requests. */
final class MirrorStats extends Counts<MirrorMetric> {
    private static final MirrorMetric[] TABLE = MirrorMetric.values();
    private static final String[] NONE = {};

    MirrorStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    @Override
    public String table() {
        return Stats.MIRRORS;
    }
}
