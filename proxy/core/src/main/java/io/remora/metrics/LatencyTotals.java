package io.remora.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the recorders of all event loops measured since the start.
 *
 * <p>Owner: the admin thread, the recorders' only reader. Cost: a histogram for each listener and kind and for each
 * loop, and a second one once the latency log was asked for.
 */
public final class LatencyTotals {
    private final Stats stats;
    private final Map<String, Total> listeners = new LinkedHashMap<>();
    private final Map<String, Total> loops = new LinkedHashMap<>();

    /** The durations of one listener and kind, or of one event loop. */
    static final class Total {
        final String name;
        final String kind;
        final Histogram sum = LatencyRecorder.newHistogram();
        private @Nullable Histogram told;

        Total(String name, String kind) {
            this.name = name;
            this.kind = kind;
        }

        /** What came in since the last call. */
        Histogram takeInterval() {
            Histogram interval = sum.copy();
            if (told != null) {
                interval.subtract(told);
            }
            told = sum.copy();
            return interval;
        }
    }

    public LatencyTotals(Stats stats) {
        this.stats = stats;
    }

    /** Takes over what was recorded since the last call. */
    void drain() {
        for (ListenerStats listener : stats.listeners()) {
            drain(listeners, listener.listener, "proxy", listener.proxyTime);
            drain(listeners, listener.listener, "backend", listener.backendTime);
            drain(listeners, listener.listener, "total", listener.totalTime);
        }
        for (LoopStats loop : stats.loops()) {
            drain(loops, loop.loop, "lag", loop.lag);
        }
    }

    private static void drain(Map<String, Total> totals, String name, String kind, LatencyRecorder recorder) {
        String key = name + '\n' + kind;
        Total total = totals.get(key);
        if (total == null) {
            total = new Total(name, kind);
            totals.put(key, total);
        }
        recorder.drainInto(total.sum);
    }

    Iterable<Total> listeners() {
        return listeners.values();
    }

    Iterable<Total> loops() {
        return loops.values();
    }
}
