package io.remora.cluster;

import io.remora.http.Failure;
import io.remora.naming.Endpoint;
import io.remora.pool.EndpointPool;
import io.remora.stream.StreamClient;
import io.remora.transport.Loop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a cluster that are where redirected connections were to go. Each is made by its first request, and
 * dropped once it has been unused for some time.
 *
 * <p>Owner: the event loop. Bounds: the configuration's number of destinations; where it is reached, the one whose last
 * request is longest ago makes room, first of the unused ones, then of those that have never answered. Loaded only for
 * such a cluster.
 */
final class Destinations implements Runnable, EndpointPool.Others {
    private final LoopCluster cluster;
    private final Backends backends;
    private final CaptureConfig config;
    private final Loop loop;
    /** The known destinations, in the order of their last request. */
    private final Map<InetSocketAddress, Known> known = new LinkedHashMap<>(16, 0.75f, true);

    private @Nullable Future<?> next;

    Destinations(LoopCluster cluster, Backends backends, CaptureConfig config) {
        this.cluster = cluster;
        this.backends = backends;
        this.config = config;
        this.loop = cluster.loop();
    }

    /**
     * Returns the endpoint that the client's connection was to go to; null where there is none for it, after a refusal.
     */
    @Nullable
    EndpointNode pick(StreamClient client) {
        InetSocketAddress to = client.attributes().originalDestination();
        if (to == null) {
            client.refused(Failure.DESTINATION_REFUSED);
            return null;
        }
        Known found = known.get(to);
        if (found == null) {
            Failure refusal = refusal(to);
            if (refusal != null) {
                client.refused(refusal);
                return null;
            }
            found = make(to);
        }
        found.askedNs = loop.nowNs();
        return found.node;
    }

    /** Why there can be none of that address, null where there can. */
    private @Nullable Failure refusal(InetSocketAddress to) {
        if (backends.isOwn(to)) {
            return Failure.DESTINATION_REFUSED;
        }
        return known.size() < config.destinations() || makeRoom(false) || makeRoom(true)
                ? null
                : Failure.TOO_MANY_DESTINATIONS;
    }

    private Known make(InetSocketAddress to) {
        Known made = new Known(cluster.add(Endpoint.of(nameOf(to), to)));
        known.put(to, made);
        scheduleLook();
        return made;
    }

    private static String nameOf(InetSocketAddress to) {
        String host = to.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + to.getPort();
    }

    @Override
    public boolean makeRoom() {
        return makeRoom(false);
    }

    // takes the eldest unused one, or the eldest that has never answered, used or not
    private boolean makeRoom(boolean unanswered) {
        for (Iterator<Known> each = known.values().iterator(); each.hasNext(); ) {
            Known eldest = each.next();
            if (unanswered ? !eldest.node.hasAnswered() : eldest.isUnused()) {
                each.remove();
                drop(eldest.node);
                return true;
            }
        }
        return false;
    }

    private void drop(EndpointNode node) {
        node.leave();
        cluster.remove(node);
    }

    private void scheduleLook() {
        if (next == null) {
            next = loop.after(this, config.idleNs());
        }
    }

    /** Drops the endpoints that have been unused for long enough. */
    @Override
    public void run() {
        next = null;
        long nowNs = loop.nowNs();
        for (Iterator<Known> each = known.values().iterator(); each.hasNext(); ) {
            Known one = each.next();
            if (!one.isUnused()) {
                one.askedNs = nowNs;
            } else if (nowNs - one.askedNs >= config.idleNs()) {
                each.remove();
                drop(one.node);
            }
        }
        if (!known.isEmpty()) {
            scheduleLook();
        }
    }

    /** Removes and returns all nodes, which the caller has to end. */
    List<EndpointNode> end() {
        if (next != null) {
            next.cancel(false);
            next = null;
        }
        List<EndpointNode> all = new ArrayList<>(known.size());
        for (Known one : known.values()) {
            all.add(one.node);
        }
        known.clear();
        return all;
    }

    /** One of them. */
    private static final class Known {
        private final EndpointNode node;
        private long askedNs;

        Known(EndpointNode node) {
            this.node = node;
        }

        boolean isUnused() {
            return node.load() == 0 && node.pool().load() == 0;
        }
    }
}
