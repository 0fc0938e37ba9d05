package io.remora.trace;

import io.remora.config.TracingConfig;
import io.remora.exchange.Stage;
import io.remora.log.Log;
import io.remora.metrics.TraceStats;
import io.remora.transport.Loop;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Tracing as one configuration has it, on all event loops. A next configuration has another one; what this one still has is delivered
 * nevertheless.
 *
 * <p>Thread safe: what belongs to a loop is touched on it only.
 */
public final class Tracers {
    private static final long FLUSH_MS = 2_000;

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

    public TracingConfig config() {
        return config;
    }

    /** The stage of a listener on a loop. */
    public Stage stage(Loop loop) {
        return new JoinTrace(config, tracers[loops.indexOf(loop)]);
    }

    /** Delivers what waits, for two seconds at the most. Not on a loop. */
    public void flush() {
        CountDownLatch flushed = begin();
        try {
            if (!flushed.await(FLUSH_MS, TimeUnit.MILLISECONDS)) {
                Log.warn("tracing: not all spans could be delivered before the end");
                end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // a connection that waits for an answer would stay
    private void end() {
        for (int i = 0; i < tracers.length; i++) {
            Exporter exporter = tracers[i].exporter();
            loops.get(i).execute(new Runnable() {
                @Override
                public void run() {
                    exporter.end();
                }
            });
        }
    }

    /** Another configuration holds: what exchanges still bring is delivered at once. */
    public void retire() {
        begin();
    }

    private CountDownLatch begin() {
        CountDownLatch flushed = new CountDownLatch(tracers.length);
        for (int i = 0; i < tracers.length; i++) {
            Exporter exporter = tracers[i].exporter();
            loops.get(i).execute(new Runnable() {
                @Override
                public void run() {
                    exporter.flush(flushed);
                }
            });
        }
        return flushed;
    }
}
