package io.remora.cluster;

import io.remora.balance.Balancer;
import io.remora.balance.History;
import io.remora.config.model.ClusterConfig;
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
    /**
     * The connector for requests that came by a version which multiplexes; null where these are no case of their own.
     */
    private @Nullable Connector multiplexing;

    private @Nullable Protocol multiplexed;
    private final Stats stats;
    private final DefaultCluster whole;
    private final @Nullable ClusterHealth health;
    private @Nullable RetryGate retries;
    private final Balancers balancers;
    private final @Nullable RequestHash hash;
    /** The original destinations of redirected connections; null where the cluster does not follow them. */
    private @Nullable Destinations destinations;

    private Balancer<EndpointNode> balancer;
    /** The one that an update goes on to. */
    private @Nullable Balancer<EndpointNode> nextBalancer;

    private List<EndpointNode> nodes = List.of();
    /** While one is under way. */
    private @Nullable EndpointUpdate update;
    /** The source's last answer during an update. */
    private @Nullable List<Endpoint> next;

    /** The number of the source's last answer. */
    private int version;
    /** The number of the answer that is in effect here. */
    private int appliedVersion = -1;

    /** Pools that are not drained. */
    private int pools;

    private boolean draining;
    private boolean resolved;
    /** True if the last answer was given up, as its source is gone. */
    private boolean lost;
    /** The requests that wait for the first answer, where there is one to wait for. */
    private @Nullable PendingQueue pending;

    LoopCluster(
            DefaultCluster whole,
            ClusterConfig config,
            Loop loop,
            Connector connector,
            Protocol protocol,
            Stats stats) {
        this.whole = whole;
        this.health = whole.health();
        this.config = config;
        this.loop = loop;
        this.connector = connector;
        this.protocol = protocol;
        this.stats = stats;
        this.balancers = new Balancers(config.has(ClusterConfig.BALANCER) ? BalancerConfig.of(config) : null);
        this.hash = balancers.hash();
        this.balancer = balancers.first();
    }

    Loop loop() {
        return loop;
    }

    /**
     * Sets the connector and the version of requests that came by a version which multiplexes; called before there is
     * an endpoint.
     */
    void multiplex(Connector by, Protocol spoken) {
        multiplexing = by;
        multiplexed = spoken;
    }

    @Override
    public String name() {
        return config.name();
    }

    @Override
    public String scheme() {
        return !config.has(ClusterConfig.TLS) ? super.scheme() : "https";
    }

    // ---- attempts

    @Override
    public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
        if (destinations != null) {
            EndpointNode node = destinations.pick(client);
            if (node != null) {
                begin(node, client);
            }
            return;
        }
        long hashed = hash == null ? 0 : hash.of(head, client);
        EndpointNode node = balancer.pick(hashed, loop.readyNs(), tried == null ? null : EndpointNode.of(tried));
        if (node == null) {
            refuse(head, client);
        } else {
            begin(node, client);
        }
    }

    private void begin(EndpointNode node, StreamClient client) {
        if (!node.enter()) {
            client.refused(Failure.BREAKER_IN_FLIGHT);
        } else {
            client.picked(node.begin());
            if (!client.isGone()) {
                node.pool(client).newStream(client);
            }
        }
    }

    private void refuse(RequestHead head, StreamClient client) {
        if (!resolved && !lost && pending != null) {
            pending.add(head, client);
        } else {
            client.refused(resolved ? Failure.NO_ENDPOINT : Failure.NOT_RESOLVED);
        }
    }

    @Override
    public void left(@Nullable Target target, StreamClient client) {
        if (target != null) {
            EndpointNode.of(target).pool(client).left(client);
        } else if (pending != null) {
            pending.left(client);
        }
    }

    @Override
    public void newStreamAgain(Target target, StreamClient client) {
        EndpointNode node = EndpointNode.of(target);
        if (!node.enter()) {
            client.refused(Failure.BREAKER_IN_FLIGHT);
            return;
        }
        if (node.isRemoved()) {
            // another one may have its address by now
            client.picked(node.begin());
            client.refused(Failure.CONNECT_FAILED);
            return;
        }
        client.picked(node.begin());
        node.pool(client).newStreamOnFresh(client);
    }

    @Override
    public boolean hasAnswered() {
        for (EndpointNode node : nodes) {
            if (node.hasAnswered()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean hasOther(Target tried) {
        EndpointNode before = EndpointNode.of(tried);
        for (EndpointNode node : nodes) {
            if (node != before) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean hasOtherInUse(Target tried) {
        EndpointNode before = EndpointNode.of(tried);
        for (EndpointNode node : nodes) {
            if (node != before && node.isInUse()) {
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

    /**
     * Applies the source's answer on this loop.
     *
     * @param number of the answer, which tells the whole cluster that it is in effect here
     */
    void apply(Addr addr, int number) {
        version = number;
        apply(addr);
        tellInEffect();
    }

    void apply(Addr addr) {
        if (addr instanceof Addr.Bound bound) {
            lost = false;
            replace(bound.endpoints());
        } else if (addr instanceof Addr.Empty) {
            lost = false;
            replace(List.of());
        } else if (resolved || update != null) {
            // a first answer that is being taken is given up too: for as long as the last answer holds, no other word
            // comes here
            lost = true;
            replace(List.of());
        }
    }

    /** Returns whether the source's last answer is not all in effect yet. */
    boolean isUpdating() {
        return update != null;
    }

    private void replace(List<Endpoint> endpoints) {
        if (update != null) {
            next = endpoints;
        } else {
            update = new EndpointUpdate(this, nodes, endpoints);
            update.run();
        }
    }

    /** Does a part of the work that precedes a pick among these nodes; returns whether that is all. */
    boolean prepare(List<EndpointNode> after) {
        if (nextBalancer == null) {
            nextBalancer = balancers.fitting(balancer, after);
        }
        return nextBalancer.prepare(after);
    }

    /** Picks from these nodes from now on; all of them are there. */
    void swap(List<EndpointNode> after) {
        nodes = after;
        resolved = !lost;
        Balancer<EndpointNode> following = nextBalancer == null ? balancers.fitting(balancer, after) : nextBalancer;
        nextBalancer = null;
        if (following != balancer) {
            balancer.update(List.of());
            balancer = following;
        }
        balancer.update(after);
        if (pending != null && resolved) {
            pending.run();
        }
    }

    /** An update is over. */
    void updated() {
        List<Endpoint> following = next;
        update = null;
        next = null;
        if (following != null) {
            replace(following);
        } else {
            tellInEffect();
        }
    }

    private void tellInEffect() {
        if (update == null && appliedVersion != version) {
            appliedVersion = version;
            whole.inEffect(version);
        }
    }

    /** Sets the object that makes endpoints of the places where connections were to go. */
    void destinations(Destinations made) {
        destinations = made;
    }

    /** Sets the queue in which requests wait for the first answer. */
    void pending(PendingQueue queue) {
        pending = queue;
    }

    void nobodyWaits() {
        pending = null;
    }

    EndpointNode add(Endpoint endpoint) {
        EndpointStats counts = stats.add(new EndpointStats(config.name(), endpoint.name()));
        counts.describe(endpoint.weight(), endpoint.metadata());
        pools++;
        Breakers breakers = whole.breakers(endpoint);
        EndpointPool pool = pool(endpoint, counts, breakers, connector, protocol);
        EndpointHealth state = health == null ? null : health.join(endpoint);
        History history = balancer.history();
        if (state != null || history != null && history.latencyUs() >= 0) {
            NodeView.show(counts, state, history);
        }
        EndpointNode node = new EndpointNode(pool, beside(pool, breakers), loop, history, resolved, state, breakers);
        if (health != null) {
            whole.check(this, node);
        }
        return node;
    }

    private EndpointPool pool(
            Endpoint endpoint, EndpointStats counts, @Nullable Breakers breakers, Connector by, Protocol spoken) {
        EndpointPool made = new EndpointPool(
                endpoint,
                counts,
                by,
                spoken,
                config.maxConnections(),
                config.maxIdleConnections(),
                breakers,
                config.has(ClusterConfig.PROXY_VERSION));
        if (destinations != null && breakers != null) {
            made.others(destinations);
        }
        return made;
    }

    private @Nullable EndpointPool beside(EndpointPool pool, @Nullable Breakers breakers) {
        if (multiplexing == null || multiplexed == null) {
            return null;
        }
        EndpointPool second = pool(pool.endpoint(), pool.stats(), breakers, multiplexing, multiplexed);
        pool.share(second);
        return second;
    }

    void remove(EndpointNode node) {
        node.endChecks();
        EndpointHealth state = node.health();
        if (state != null && health != null) {
            health.leave(state);
        }
        node.drain(new Runnable() {
            @Override
            public void run() {
                stats.remove(node.pool().stats());
                whole.endBounds(node.pool().endpoint());
                pools--;
                endDrain();
            }
        });
    }

    /** Ends all that is under way but the endpoints; returns whether there is more of that to end. */
    boolean isEnding() {
        next = null;
        if (update != null && update.goesOn()) {
            return true;
        }
        if (pending != null) {
            pending.end();
            pending = null;
        }
        return false;
    }

    /** Notes that each endpoint drains. */
    void removedAll() {
        draining = true;
        endDrain();
    }

    private void endDrain() {
        if (draining && pools == 0) {
            draining = false;
            whole.drained(loop);
        }
    }

    /** Returns all nodes; none is added from now on. */
    List<EndpointNode> all() {
        return destinations == null ? nodes : destinations.end();
    }

    private void finishUpdates() {
        while (update != null) {
            update.finish();
        }
    }

    /** Closes every connection that carries nothing, now or later; nothing is picked any more. */
    void close() {
        finishUpdates();
        for (EndpointNode node : all()) {
            node.endChecks();
            node.close();
        }
    }
}
