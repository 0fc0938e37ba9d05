package io.remora.cluster;

import io.remora.naming.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Brings a cluster's nodes on one event loop to what their source says, a slice in each turn of the loop, so that a
 * large answer holds no request up. Requests see the nodes from before until all of the new ones are there.
 *
 * <p>Owner: the event loop. Bounds: so many nodes made, or so many removed, in a turn.
 */
final class EndpointUpdate implements Runnable {
    static final int SLICE = 64;

    /** To remove one takes a look at the statistics of all. */
    private static final int GONE_SLICE = 16;

    /** A task that is not delayed would run before what has arrived meanwhile is read. */
    private static final long PAUSE_MS = 1;

    private final LoopCluster cluster;
    private final List<Endpoint> endpoints;
    private final Map<String, EndpointNode> known;
    private final List<EndpointNode> after;
    private boolean swapped;
    private Iterator<EndpointNode> gone = List.<EndpointNode>of().iterator();

    EndpointUpdate(LoopCluster cluster, List<EndpointNode> before, List<Endpoint> endpoints) {
        this.cluster = cluster;
        this.endpoints = endpoints;
        this.known = new HashMap<>(before.size() * 2);
        this.after = new ArrayList<>(endpoints.size());
        for (EndpointNode node : before) {
            known.put(node.name(), node);
        }
    }

    boolean isOver() {
        return swapped && !gone.hasNext();
    }

    /** All of it, or what is left of it, at once. */
    void finish() {
        while (!isOver()) {
            slice();
        }
    }

    /** A slice; the next one follows in a turn of its own, behind what can be read by then. */
    @Override
    public void run() {
        if (!isOver()) {
            slice();
            if (!isOver()) {
                cluster.loop().eventLoop().schedule(this, PAUSE_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void slice() {
        if (swapped) {
            for (int left = GONE_SLICE; left > 0 && gone.hasNext(); left--) {
                cluster.remove(gone.next());
            }
        } else {
            take();
            if (after.size() == endpoints.size()) {
                swap();
            }
        }
        if (isOver()) {
            cluster.updated();
        }
    }

    private void take() {
        int to = Math.min(endpoints.size(), after.size() + SLICE);
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

    private void swap() {
        swapped = true;
        gone = known.values().iterator();
        cluster.swap(after);
    }
}
