package io.remora;

import io.remora.config.TracingConfig;
import io.remora.engine.Cluster;
import io.remora.metrics.TraceStats;
import io.remora.trace.Collector;
import io.remora.trace.Tracers;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Has the data path's exchanges traced; the collector is whichever cluster has its name when spans are delivered.
 *
 * <p>Thread safe. Loaded only for who traces: within the data path, its verification would load a class for those who do not.
 */
final class TraceSetup implements Collector {
    private final DataPath path;

    private TraceSetup(DataPath path) {
        this.path = path;
    }

    static Tracers of(DataPath path, TracingConfig config) {
        long[] seeds = new long[path.loops().size()];
        for (int i = 0; i < seeds.length; i++) {
            seeds[i] = Entropy.seed();
        }
        return new Tracers(config, path.loops(), path.stats().add(new TraceStats()), new TraceSetup(path), seeds);
    }

    @Override
    public @Nullable Cluster cluster(String name, Loop loop) {
        return path.clusters().find(name, loop);
    }
}
