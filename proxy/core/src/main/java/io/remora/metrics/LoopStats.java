package io.remora.metrics;

/** How late one event loop runs its timers: what a request that arrives meanwhile would wait. */
public final class LoopStats extends Counts<LoopMetric> {
    static final String TABLE_NAME = "loops";
    private static final LoopMetric[] TABLE = LoopMetric.values();
    private static final String[] NONE = {};

    public LoopStats(String loop) {
        super(TABLE, new String[] {loop}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }
}
