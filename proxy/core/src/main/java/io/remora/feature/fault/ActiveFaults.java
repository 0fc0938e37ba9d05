package io.remora.feature.fault;

import io.remora.exchange.LoopPart;

/**
 * The delays of one listener that are under way on one event loop. Each ends with its exchange, so nothing is left to cut.
 *
 * <p>Owner: the event loop.
 */
final class ActiveFaults implements LoopPart {
    private final FaultStats stats;
    private int delays;

    ActiveFaults(FaultStats stats) {
        this.stats = stats;
    }

    FaultStats stats() {
        return stats;
    }

    /** Counts a delay that begins; returns whether there was room for it. */
    boolean begin(int most) {
        if (delays >= most) {
            stats.increment(FaultMetric.OVERFLOWED);
            return false;
        }
        delays++;
        stats.increment(FaultMetric.DELAYS);
        return true;
    }

    void end() {
        delays--;
        stats.increment(FaultMetric.DELAYS_ENDED);
    }

    void aborted() {
        stats.increment(FaultMetric.ABORTS);
    }

    @Override
    public LoopPart renewed() {
        return new ActiveFaults(stats);
    }

    @Override
    public boolean isIdle() {
        return true;
    }

    @Override
    public void cut() {}
}
