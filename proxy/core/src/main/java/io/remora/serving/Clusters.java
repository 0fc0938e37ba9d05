package io.remora.serving;

import io.remora.config.model.ClusterConfig;
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
 * The clusters of one configuration, each taken on by its engine. What a next configuration leaves as it is goes on with
 * its connections; what it changes or drops is drained.
 *
 * <p>Immutable but for the engines' own state; thread safe.
 */
final class Clusters {
    private final Map<String, ClusterConfig> configs;
    private final Map<String, EngineCluster> open;

    private Clusters(Map<String, ClusterConfig> configs, Map<String, EngineCluster> open) {
        this.configs = configs;
        this.open = open;
    }

    static Clusters none() {
        return new Clusters(Map.of(), Map.of());
    }

    /**
     * Takes on what this configuration has and the one before had not; nothing of the one before ends yet.
     *
     * @throws IOException where a cluster cannot be had; those that were taken on for it are closed again
     */
    Clusters next(Map<String, ClusterConfig> next, Engine engine, Stats stats) throws IOException {
        Map<String, EngineCluster> opened = new HashMap<>();
        for (ClusterConfig config : next.values()) {
            EngineCluster kept = keeps(config) ? open.get(config.name()) : null;
            try {
                opened.put(config.name(), kept != null ? kept : open(config, engine, stats));
            } catch (IOException | RuntimeException | Error e) {
                new Clusters(next, opened).drainAllBut(this);
                throw e;
            }
        }
        return new Clusters(next, opened);
    }

    private static EngineCluster open(ClusterConfig config, Engine engine, Stats stats) throws IOException {
        return config.template() == null ? engine.open(config) : new HostClusters(config, engine, stats);
    }

    private boolean keeps(ClusterConfig config) {
        ClusterConfig before = configs.get(config.name());
        return before != null && before.equals(config);
    }

    /** By name, the loop's own way to each. Called on the loop's thread or before it runs. */
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

    /** The loop's own way to one of them, null where there is none of this name. Called on the loop's thread. */
    @Nullable
    Cluster find(String name, Loop loop) {
        EngineCluster one = open.get(name);
        return one == null ? null : one.on(loop);
    }

    /** The loop's own way to one of them. Called on the loop's thread. */
    Cluster on(String name, Loop loop) {
        EngineCluster one = open.get(name);
        if (one == null) {
            throw new IllegalArgumentException("no cluster " + name);
        }
        return one.on(loop);
    }

    /** Drains those that {@code other} does not have. */
    void drainAllBut(Clusters other) {
        for (Map.Entry<String, EngineCluster> each : open.entrySet()) {
            // one that is kept has its name
            if (other.open.get(each.getKey()) != each.getValue()) {
                each.getValue().drain();
            }
        }
    }

    /** Ends whatever no exchange uses. */
    void close() {
        for (EngineCluster each : open.values()) {
            each.close();
        }
    }
}
