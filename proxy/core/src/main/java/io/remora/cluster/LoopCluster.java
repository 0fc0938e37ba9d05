package io.remora.cluster;

import io.remora.balance.Balancer;
import io.remora.balance.RoundRobin;
import io.remora.config.ClusterConfig;
import io.remora.engine.Cluster;
import io.remora.engine.RetryGate;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import io.remora.naming.Addr;
import io.remora.naming.Endpoint;
import io.remora.pool.Breakers;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.transport.Connector;
import io.remora.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's way to a cluster: its endpoints with their pools, and the balancer above them.
 *
 * <p>Owner: the event loop.
 */
final class LoopCluster extends Cluster {
    private final ClusterConfig config;
    private final Loop loop;
    private final Connector connector;
    private final Protocol protocol;
    private final Stats stats;
    private final Balancer<EndpointNode> balancer = new RoundRobin<>();
    private final NettyCluster whole;
    private final @Nullable ClusterHealth health;
    private final @Nullable Breakers breakers;
    private @Nullable RetryGate retries;
    private List<EndpointNode> nodes = List.of();
    private boolean resolved;

    LoopCluster(
            NettyCluster whole, ClusterConfig config, Loop loop, Connector connector, Protocol protocol, Stats stats) {
        this.whole = whole;
        this.health = whole.health();
        this.breakers = whole.breakers();
        this.config = config;
        this.loop = loop;
        this.connector = connector;
        this.protocol = protocol;
        this.stats = stats;
    }

    Loop loop() {
        return loop;
    }

    // ---- attempts

    @Override
    public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
        EndpointNode node = balancer.pick(tried instanceof EndpointNode before ? before : null);
        if (node == null) {
            client.refused(resolved ? Failure.NO_ENDPOINT : Failure.NOT_RESOLVED);
        } else if (breakers != null && !breakers.enter()) {
            client.refused(Failure.BREAKER_IN_FLIGHT);
        } else {
            node.begin();
            client.picked(node);
            node.pool().newStream(client);
        }
    }

    @Override
    public void newStreamAgain(Target target, StreamClient client) {
        EndpointNode node = (EndpointNode) target;
        if (breakers != null && !breakers.enter()) {
            client.refused(Failure.BREAKER_IN_FLIGHT);
            return;
        }
        node.begin();
        client.picked(node);
        node.pool().newStreamOnFresh(client);
    }

    @Override
    public boolean hasOther(Target tried) {
        for (EndpointNode node : nodes) {
            if (node != tried) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean repeatsByItself() {
        return false;
    }

    @Override
    public RetryGate retries() {
        if (retries == null) {
            retries = whole.retries(loop.nowNs());
        }
        return retries;
    }

    // ---- endpoints

    /** What the name stands for from now on. */
    void apply(Addr addr) {
        if (addr instanceof Addr.Bound bound) {
            resolved = true;
            replace(bound.endpoints());
        } else if (addr instanceof Addr.Empty) {
            resolved = true;
            replace(List.of());
        }
        // pending or failed: what was known before still holds
    }

    private void replace(List<Endpoint> endpoints) {
        List<EndpointNode> before = nodes;
        List<EndpointNode> after = new ArrayList<>(endpoints.size());
        for (Endpoint endpoint : endpoints) {
            EndpointNode known = find(before, endpoint);
            if (known != null) {
                known.update(endpoint);
            }
            after.add(known != null ? known : add(endpoint));
        }
        nodes = after;
        balancer.update(after);
        for (EndpointNode node : before) {
            if (!after.contains(node)) {
                remove(node);
            }
        }
    }

    private static @Nullable EndpointNode find(List<EndpointNode> nodes, Endpoint endpoint) {
        for (EndpointNode node : nodes) {
            Endpoint known = node.pool().endpoint();
            if (known.name().equals(endpoint.name()) && known.socketAddress().equals(endpoint.socketAddress())) {
                return node;
            }
        }
        return null;
    }

    private EndpointNode add(Endpoint endpoint) {
        EndpointStats counts = stats.add(new EndpointStats(config.name(), endpoint.name()));
        EndpointPool pool = new EndpointPool(
                endpoint, counts, connector, protocol, config.maxConnections(), config.maxIdleConnections(), breakers);
        EndpointNode node = new EndpointNode(pool, health == null ? null : health.join(endpoint), breakers);
        if (health != null) {
            whole.check(this, node);
        }
        return node;
    }

    private void remove(EndpointNode node) {
        node.endChecks();
        EndpointHealth state = node.health();
        if (state != null && health != null) {
            health.leave(state);
        }
        node.pool().drain(new Runnable() {
            @Override
            public void run() {
                stats.remove(node.pool().stats());
            }
        });
    }

    /** The endpoints drain. Exchanges that know the cluster still may begin attempts at them, and are its last. */
    void drain() {
        for (EndpointNode node : nodes) {
            remove(node);
        }
    }

    void closeIdle() {
        for (EndpointNode node : nodes) {
            node.endChecks();
            node.pool().closeIdle();
        }
    }
}
