package io.remora.serving;

import io.remora.config.model.ProxyConfig;
import io.remora.config.model.TracingConfig;
import io.remora.engine.Cluster;
import io.remora.exchange.Stage;
import io.remora.metrics.Exemplars;
import io.remora.metrics.TraceStats;
import io.remora.process.Entropy;
import io.remora.trace.Collector;
import io.remora.trace.Tracers;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Has the data path's exchanges traced, as one configuration wants it; the collector is whichever cluster has its name when spans are
 * delivered.
 *
 * <p>Thread safe. Loaded only for who traces: within the data path, its verification would load a class for those who do not.
 */
final class TraceSetup implements Collector {
    /** Arrays of spans on a loop, while one of two grows, and as many again. */
    private static final int ARRAYS = 5;

    private final DataPath path;
    private final Tracers tracers;
    /** Once another configuration holds: the clusters of this one, which may have lost the collector. */
    private volatile @Nullable Clusters last;

    private TraceSetup(DataPath path, TracingConfig config) {
        this.path = path;
        long[] seeds = new long[path.loops().size()];
        for (int i = 0; i < seeds.length; i++) {
            seeds[i] = Entropy.seed();
        }
        this.tracers = new Tracers(config, path.loops(), path.stats().add(new TraceStats()), this, seeds);
    }

    static TraceSetup of(DataPath path, TracingConfig config) {
        return new TraceSetup(path, config);
    }

    /**
     * What it may take of the heap: on each loop two arrays of spans, one of which grows by half more at a time, and both again for the
     * configuration before; and exemplars.
     */
    static long heapBytes(ProxyConfig config, TracingConfig tracing) {
        long spans = (long) config.workers() * ARRAYS * tracing.export().queueBytes();
        long exemplars = (long) config.workers() * config.listeners().size() * Exemplars.MOST_BYTES;
        return spans + exemplars;
    }

    boolean goesBy(TracingConfig config) {
        return tracers.config().equals(config);
    }

    Stage stage(Loop loop) {
        return tracers.stage(loop);
    }

    /**
     * Another configuration holds: what waits is delivered at once, and what exchanges still bring.
     *
     * @param held the clusters until now
     * @param earlier of the configuration before this one, of which nothing is kept any longer; null for none
     */
    void retire(Clusters held, @Nullable TraceSetup earlier) {
        if (earlier != null) {
            earlier.tracers.end();
        }
        last = held;
        tracers.retire();
    }

    /** Delivers what waits, for two seconds at the most, and what {@code before} still has. Not on a loop. */
    void flush(@Nullable TraceSetup before) {
        tracers.flush(before == null ? null : before.tracers);
    }

    @Override
    public @Nullable Cluster cluster(String name, Loop loop) {
        Cluster now = path.clusters().find(name, loop);
        Clusters before = last;
        return now == null && before != null ? before.find(name, loop) : now;
    }
}
