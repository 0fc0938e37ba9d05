package io.remora.cluster;

import io.remora.transport.BackgroundTask;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The end of a cluster on one event loop, some endpoints at a time. Exchanges that know the cluster still may begin attempts at
 * them, and are its last.
 *
 * <p>Owner: the event loop. Cost: loaded by the first cluster that ends before the process does.
 */
final class ClusterDrain implements BackgroundTask {
    /** The number of endpoints that a step releases. */
    private static final int STEP = 8;

    private final LoopCluster cluster;
    private @Nullable Iterator<EndpointNode> left;

    ClusterDrain(LoopCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public boolean step() {
        Iterator<EndpointNode> nodes = left;
        if (nodes == null) {
            if (cluster.isEnding()) {
                return true;
            }
            nodes = cluster.all().iterator();
            left = nodes;
        }
        for (int i = 0; i < STEP && nodes.hasNext(); i++) {
            cluster.remove(nodes.next());
        }
        if (nodes.hasNext()) {
            return true;
        }
        cluster.removedAll();
        return false;
    }
}
