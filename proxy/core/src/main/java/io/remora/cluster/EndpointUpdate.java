package io.remora.cluster;

import io.remora.naming.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Brings a cluster's nodes on one event loop up to date with their source. It works in slices between which the loop
 * serves others, so that a large answer holds no request up. Requests see the nodes from before until all of the new
 * ones are there.
 *
 * <p>Owner: the event loop. Bounds: a slice ends once it has taken 2 ms of the loop, or 128 endpoints.
 */
final class EndpointUpdate implements Runnable {
    private static final long SLICE_NS = 2_000_000L;

    /**
     * The time between slices: a task that is executed again would come before readable sockets, and a timer comes
     * behind.
     */
    private static final long REST_MS = 1;

    /** The number of nodes that are made or removed between two looks at the clock. */
    private static final int STEP = 8;

    /** The most endpoints in a slice. */
    static final int MOST = 128;

    private final LoopCluster cluster;
    private final List<Endpoint> endpoints;
    private final Map<String, EndpointNode> known;
    private final List<EndpointNode> after;
    /** True if there is no endpoint so far, so that requests are refused until there is one. */
    private final boolean servesNobody;

    private boolean swapped;
    private Iterator<EndpointNode> gone = List.<EndpointNode>of().iterator();

    EndpointUpdate(LoopCluster cluster, List<EndpointNode> before, List<Endpoint> endpoints) {
        this.cluster = cluster;
        this.endpoints = endpoints;
        this.known = new HashMap<>(before.size() * 2);
        this.servesNobody = before.isEmpty();
        this.after = new ArrayList<>(endpoints.size());
        for (EndpointNode node : before) {
            known.put(node.name(), node);
        }
    }

    boolean isOver() {
        return swapped && !gone.hasNext();
    }

    /** Takes all steps that are left, at once. */
    void finish() {
        while (!isOver()) {
            step();
        }
    }

    /** Takes a step for a caller that waits for the end; returns whether more steps follow. */
    boolean goesOn() {
        if (!isOver()) {
            step();
        }
        return !isOver();
    }

    /** Runs a slice; the next one follows behind the other work of the loop. */
    @Override
    public void run() {
        long beganNs = cluster.loop().nowNs();
        int left = MOST;
        while (!isOver()) {
            step();
            left -= STEP;
            if (!isOver() && (left == 0 || cluster.loop().nowNs() - beganNs >= SLICE_NS)) {
                cluster.loop().eventLoop().schedule(this, REST_MS, TimeUnit.MILLISECONDS);
                return;
            }
        }
    }

    private void step() {
        if (swapped) {
            for (int left = STEP; left > 0 && gone.hasNext(); left--) {
                EndpointNode node = gone.next();
                node.leave();
                cluster.remove(node);
            }
        } else {
            take();
            if (after.size() == endpoints.size() && (servesNobody || cluster.prepare(after))) {
                swapped = true;
                gone = known.values().iterator();
                cluster.swap(after);
            }
        }
        if (isOver()) {
            cluster.updated();
        }
    }

    private void take() {
        int to = Math.min(endpoints.size(), after.size() + STEP);
        for (int i = after.size(); i < to; i++) {
            Endpoint endpoint = endpoints.get(i);
            EndpointNode node = known.get(endpoint.name());
            if (node != null && node.pool().endpoint().socketAddress().equals(endpoint.socketAddress())) {
                known.remove(endpoint.name());
                node.update(endpoint);
                after.add(node);
            } else {
                after.add(cluster.add(endpoint));
            }
        }
    }
}
