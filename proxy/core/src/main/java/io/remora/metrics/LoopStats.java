package io.remora.metrics;

/** The delay of one event loop's timers: the time that a request that arrives meanwhile would wait. */
public final class LoopStats extends Counts<LoopMetric> {
    static final String TABLE_NAME = "loops";
    private static final LoopMetric[] TABLE = LoopMetric.values();
    private static final String[] NONE = {};

    private final String loop;

    public LoopStats(String loop) {
        super(TABLE, new String[] {loop}, NONE);
        this.loop = loop;
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Returns the name of the event loop. */
    public String name() {
        return loop;
    }
}
