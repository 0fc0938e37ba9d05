package io.remora.feature.tracing;

import io.remora.config.model.ProxyConfig;
import io.remora.exchange.Stage;
import io.remora.log.Log;
import io.remora.metrics.Exemplars;
import io.remora.metrics.TraceStats;
import io.remora.transport.Loop;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tracing as one configuration has it, on all event loops. A next configuration has another one; what this one still has is delivered
 * nevertheless.
 *
 * <p>Thread safe: what belongs to a loop is touched on it only.
 */
public final class Tracers {
    private static final long FLUSH_NS = 2_000_000_000L;

    /** Arrays of spans on a loop, while one of two grows, and as many again. */
    private static final int ARRAYS = 5;

    private final TracingConfig config;
    private final List<Loop> loops;
    private final LoopTracer[] tracers;

    /**
     * @param seeds that nobody can guess, one for each loop
     */
    public Tracers(TracingConfig config, List<Loop> loops, TraceStats stats, Collector collector, long[] seeds) {
        this.config = config;
        this.loops = loops;
        this.tracers = new LoopTracer[loops.size()];
        for (int i = 0; i < tracers.length; i++) {
            Loop loop = loops.get(i);
            SpanQueue queue = new SpanQueue(config, stats);
            Exporter exporter = new Exporter(config.export(), loop, queue, collector);
            tracers[i] = new LoopTracer(loop, exporter, queue, seeds[i]);
        }
    }

    /**
     * Returns what tracing may take of the heap: on each loop two arrays of spans, one of which grows by half more at a time, and both
     * again for the configuration before; and exemplars.
     */
    public static long heapBytes(ProxyConfig config) {
        TracingConfig tracing = config.options().get(TracingConfig.TRACING);
        if (tracing == null) {
            return 0;
        }
        long spans = (long) config.workers() * ARRAYS * tracing.export().queueBytes();
        long exemplars = (long) config.workers() * config.listeners().size() * Exemplars.MOST_BYTES;
        return spans + exemplars;
    }

    public TracingConfig config() {
        return config;
    }

    /** The stage of a listener on a loop. */
    public Stage stage(Loop loop) {
        return new JoinTrace(config, tracers[loops.indexOf(loop)]);
    }

    /**
     * Delivers what waits, for two seconds at the most. Not on a loop.
     *
     * @param before another configuration's, for what these still have; null for none
     */
    public void flush(@Nullable Tracers before) {
        long endNs = System.nanoTime() + FLUSH_NS;
        CountDownLatch own = begin();
        CountDownLatch others = before == null ? own : before.begin();
        try {
            boolean all = own.await(FLUSH_NS, TimeUnit.NANOSECONDS)
                    && others.await(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (!all) {
                Log.warn("tracing: delivery unfinished at the end; dropping the rest");
                // a connection that waits for an answer would stay
                end();
                if (before != null) {
                    before.end();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another configuration holds: what waits is delivered at once, and what exchanges still bring. */
    public void retire() {
        begin();
    }

    /** Gives up what could not be delivered yet, and what exchanges still bring. */
    public void end() {
        onEach(null);
    }

    private CountDownLatch begin() {
        CountDownLatch flushed = new CountDownLatch(tracers.length);
        onEach(flushed);
        return flushed;
    }

    /**
     * @param flushed null where it is the end
     */
    private void onEach(@Nullable CountDownLatch flushed) {
        for (int i = 0; i < tracers.length; i++) {
            Exporter exporter = tracers[i].exporter();
            loops.get(i).execute(new Runnable() {
                @Override
                public void run() {
                    if (flushed == null) {
                        exporter.end();
                    } else {
                        exporter.flush(flushed);
                    }
                }
            });
        }
    }
}
