package io.remora.metrics;

/**
 * How late one event loop runs its timers: what a request that arrives meanwhile would wait.
 *
 * <p>Owner: written by its event loop only.
 */
public final class LoopStats {
    public final String loop;
    public final LatencyRecorder lag = new LatencyRecorder();

    public LoopStats(String loop) {
        this.loop = loop;
    }
}
