package io.remora.exchange;

import io.remora.config.model.ListenerConfig;
import io.remora.engine.Cluster;
import io.remora.route.Router;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one listener, as its exchanges on one event loop follow it. Immutable: a new configuration
 * replaces it whole, and an exchange keeps the snapshot that it began with.
 *
 * <p>Owner: the event loop.
 */
public final class ListenerSnapshot {
    /** The most added lines for which each head has room. */
    private static final int MOST_ADDED_LINES = 16;
    /**
     * The most octets of added lines for which each head has room. One route may add a line of kilobytes, for which the
     * heads of all others are not to pay: an array that is too small grows.
     */
    private static final int MOST_ADDED_OCTETS = 512;

    private final long generation;
    private final ListenerConfig config;
    private final Router router;
    private final Map<String, Cluster> clusters;
    private final Stage[] stages;
    private final String defaultAuthority;
    private final int addedLines;
    private final int addedOctets;
    private final @Nullable ListenerSnapshot tunnels;

    /**
     * @param generation of the configuration, from 1
     * @param clusters by name, this loop's own
     * @param stages in the order in which a request passes them
     */
    public ListenerSnapshot(
            long generation, ListenerConfig config, Router router, Map<String, Cluster> clusters, Stage[] stages) {
        this(generation, config, router, clusters, stages, null);
    }

    private ListenerSnapshot(
            long generation,
            ListenerConfig config,
            Router router,
            Map<String, Cluster> clusters,
            Stage[] stages,
            @Nullable ListenerSnapshot tunnels) {
        this.tunnels = tunnels;
        this.generation = generation;
        this.config = config;
        this.router = router;
        this.clusters = clusters;
        this.stages = stages.clone();
        int lines = 0;
        int octets = 0;
        for (Stage stage : stages) {
            lines += stage.addedLines();
            octets += stage.addedOctets();
        }
        this.addedLines = Math.min(MOST_ADDED_LINES, lines);
        this.addedOctets = Math.min(MOST_ADDED_OCTETS, octets);
        // a path is no host
        this.defaultAuthority =
                config.address().isUnix() ? "localhost" : config.address().toString();
    }

    /** Returns this snapshot with another one for connections that carry no requests. */
    public ListenerSnapshot with(ListenerSnapshot forTunnels) {
        return new ListenerSnapshot(generation, config, router, clusters, stages, forTunnels);
    }

    /** Returns the snapshot for connections that carry no requests; null where there are none next to others. */
    public @Nullable ListenerSnapshot tunnels() {
        return tunnels;
    }

    public long generation() {
        return generation;
    }

    public ListenerConfig config() {
        return config;
    }

    public Router router() {
        return router;
    }

    Stage[] stages() {
        return stages;
    }

    /** Returns how many lines optional stages add to a usual head. */
    public int addedLines() {
        return addedLines;
    }

    /** Returns how many octets the added lines have. */
    public int addedOctets() {
        return addedOctets;
    }

    /** Returns the authority for an HTTP/1.0 request without a Host. */
    public String defaultAuthority() {
        return defaultAuthority;
    }

    /** The cluster of a route, which a judged configuration has. */
    public Cluster cluster(String name) {
        Cluster cluster = clusters.get(name);
        if (cluster == null) {
            throw new IllegalStateException("no cluster " + name);
        }
        return cluster;
    }
}
