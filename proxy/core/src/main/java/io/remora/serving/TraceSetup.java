package io.remora.serving;

import io.remora.config.model.ProxyConfig;
import io.remora.engine.Cluster;
import io.remora.exchange.Stage;
import io.remora.feature.tracing.Collector;
import io.remora.feature.tracing.Tracers;
import io.remora.feature.tracing.TracingConfig;
import io.remora.metrics.TraceStats;
import io.remora.process.Entropy;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Tracing of a data path with one configuration; its collector is the cluster that has its name at the time of a
 * delivery.
 *
 * <p>Thread safe. Loaded only with tracing: within the data path, its verification would load a class for sidecars
 * without.
 */
final class TraceSetup implements Collector {
    private final Shared shared;
    private final Tracers tracers;
    /** Generation of this configuration once another one holds, as the next may have lost the collector. */
    private volatile @Nullable Generation last;

    private TraceSetup(Shared shared, TracingConfig config) {
        this.shared = shared;
        long[] seeds = new long[shared.loops().size()];
        for (int i = 0; i < seeds.length; i++) {
            seeds[i] = Entropy.seed();
        }
        this.tracers = new Tracers(config, shared.loops(), shared.stats().add(new TraceStats()), this, seeds);
    }

    static @Nullable TraceSetup of(Shared shared, ProxyConfig asked) {
        TracingConfig config = asked.options().get(TracingConfig.TRACING);
        return config == null ? null : new TraceSetup(shared, config);
    }

    boolean goesBy(ProxyConfig asked) {
        return tracers.config().equals(asked.options().get(TracingConfig.TRACING));
    }

    Stage stage(Loop loop) {
        return tracers.stage(loop);
    }

    /**
     * Another configuration holds: what waits is delivered at once, and what exchanges still bring.
     *
     * @param held the generation until now
     * @param earlier of the configuration before this one, of which nothing is kept any longer; null for none
     */
    void retire(Generation held, @Nullable TraceSetup earlier) {
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
        Cluster now = shared.current().find(name, loop);
        Generation before = last;
        return now == null && before != null ? before.find(name, loop) : now;
    }
}
