package io.remora.serving;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Cluster;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.engine.HostClusters;
import io.remora.metrics.Stats;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One configuration with its clusters, each opened by the engine. A cluster that the next configuration leaves as it is stays open with its
 * connections; one that it changes or drops is drained.
 *
 * <p>Immutable but for the engine's own state; thread safe.
 */
final class Generation {
    /** The number of the configuration, from 1; 0 while nothing is open. */
    private final long number;

    private final ProxyConfig config;
    private final Map<String, EngineCluster> open;

    private Generation(long number, ProxyConfig config, Map<String, EngineCluster> open) {
        this.number = number;
        this.config = config;
        this.open = open;
    }

    /** Returns a configuration of which nothing is open yet. */
    static Generation unopened(ProxyConfig config) {
        return new Generation(0, config, Map.of());
    }

    /**
     * Opens the clusters of the next configuration that this one does not have; nothing of this one ends yet.
     *
     * @throws IOException where a cluster cannot be obtained; those that were opened for it are closed again
     */
    Generation next(ProxyConfig next, Engine engine, Stats stats) throws IOException {
        Map<String, EngineCluster> opened = new HashMap<>();
        Generation made = new Generation(number + 1, next, opened);
        for (ClusterConfig cluster : next.clusters().values()) {
            EngineCluster kept = keeps(cluster) ? open.get(cluster.name()) : null;
            try {
                opened.put(cluster.name(), kept != null ? kept : open(cluster, engine, stats));
            } catch (IOException | RuntimeException | Error e) {
                made.drainAllBut(this);
                throw e;
            }
        }
        return made;
    }

    private boolean keeps(ClusterConfig cluster) {
        // nothing is compared at the start: that would load what compares records
        return open.containsKey(cluster.name())
                && cluster.equals(config.clusters().get(cluster.name()));
    }

    private static EngineCluster open(ClusterConfig cluster, Engine engine, Stats stats) throws IOException {
        return cluster.has(ClusterConfig.TEMPLATE) ? new HostClusters(cluster, engine, stats) : engine.open(cluster);
    }

    long number() {
        return number;
    }

    ProxyConfig config() {
        return config;
    }

    /** Returns by name the loop's own way to each cluster. Called on the loop's thread or before it runs. */
    Map<String, Cluster> on(Loop loop) {
        Map<String, Cluster> clusters = new HashMap<>();
        for (Map.Entry<String, EngineCluster> each : open.entrySet()) {
            clusters.put(each.getKey(), each.getValue().on(loop));
        }
        return clusters;
    }

    Set<String> names() {
        return open.keySet();
    }

    /** Returns the loop's own way to one cluster, null where there is none of this name. Called on the loop's thread. */
    @Nullable
    Cluster find(String name, Loop loop) {
        EngineCluster one = open.get(name);
        return one == null ? null : one.on(loop);
    }

    /** Returns the loop's own way to one cluster. Called on the loop's thread. */
    Cluster on(String name, Loop loop) {
        EngineCluster one = open.get(name);
        if (one == null) {
            throw new IllegalArgumentException("no cluster " + name);
        }
        return one.on(loop);
    }

    /** Drains the clusters that {@code other} does not have. */
    void drainAllBut(Generation other) {
        for (Map.Entry<String, EngineCluster> each : open.entrySet()) {
            // one that is kept has its name
            if (other.open.get(each.getKey()) != each.getValue()) {
                each.getValue().drain();
            }
        }
    }

    /** Closes the clusters; each keeps what an exchange still uses. */
    void close() {
        for (EngineCluster each : open.values()) {
            each.close();
        }
    }
}
