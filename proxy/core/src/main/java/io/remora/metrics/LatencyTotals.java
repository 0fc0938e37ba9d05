package io.remora.metrics;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The sums of all event loops' latency recorders since the start.
 *
 * <p>Owner: the admin thread, the recorders' only reader. Cost: a histogram for each listener and kind and for each
 * loop, and a second one once the latency log is read.
 */
public final class LatencyTotals {
    private final Stats stats;
    private final Map<String, Total> totals = new LinkedHashMap<>();
    private int round;

    /** The durations of one kind, of one listener or event loop. */
    static final class Total {
        final String name;
        final Metric metric;
        final Histogram sum = LatencyRecorder.newHistogram();
        private @Nullable Histogram told;
        private int drained;

        Total(String name, Metric metric) {
            this.name = name;
            this.metric = metric;
        }

        /** Returns the values that were added since the last call. */
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

    /** Adds the durations of all recorders since the last call. */
    void drain() {
        round++;
        for (ListenerStats listener : stats.listeners()) {
            drain(listener);
        }
        for (LoopStats loop : stats.loops()) {
            drain(loop);
        }
        forgetGone();
    }

    /** Adds the delays of one event loop's timers since the last call or drain, and returns their sum, which is not the caller's to change. */
    Histogram drainLag(LoopStats loop) {
        drain(loop);
        return total(loop.scope()[0], LoopMetric.LAG).sum;
    }

    // a listener that a reload has taken away
    private void forgetGone() {
        Iterator<Total> all = totals.values().iterator();
        while (all.hasNext()) {
            if (all.next().drained != round) {
                all.remove();
            }
        }
    }

    private <M extends Enum<M> & Metric> void drain(Counts<M> counts) {
        for (M line : counts.lines()) {
            if (line.family().isHistogram()) {
                Total total = total(counts.scope()[0], line);
                total.drained = round;
                counts.recorder(line).drainInto(total.sum);
            }
        }
    }

    private Total total(String name, Metric metric) {
        String key = name + '\n' + metric.family().name;
        Total total = totals.get(key);
        if (total == null) {
            total = new Total(name, metric);
            totals.put(key, total);
        }
        return total;
    }

    Iterable<Total> all() {
        return totals.values();
    }
}
