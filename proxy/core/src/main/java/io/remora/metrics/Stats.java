package io.remora.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All that is counted, for a scrape to read. Thread safe: stages register what they write, the exposition reads.
 *
 * <p>Bounds: one entry per listener, endpoint and event loop of the configuration; no traffic adds one.
 */
public final class Stats {
    private final List<ListenerStats> listeners = new CopyOnWriteArrayList<>();
    private final List<EndpointStats> endpoints = new CopyOnWriteArrayList<>();
    private final List<LoopStats> loops = new CopyOnWriteArrayList<>();

    public ListenerStats add(ListenerStats stats) {
        listeners.add(stats);
        return stats;
    }

    public EndpointStats add(EndpointStats stats) {
        endpoints.add(stats);
        return stats;
    }

    public LoopStats add(LoopStats stats) {
        loops.add(stats);
        return stats;
    }

    public void remove(EndpointStats stats) {
        endpoints.remove(stats);
    }

    public List<ListenerStats> listeners() {
        return listeners;
    }

    public List<EndpointStats> endpoints() {
        return endpoints;
    }

    public List<LoopStats> loops() {
        return loops;
    }
}
