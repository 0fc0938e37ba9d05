package io.remora.cluster;

import io.remora.balance.BalancerNode;
import io.remora.balance.History;
import io.remora.metrics.EndpointMetric;
import io.remora.naming.Endpoint;
import io.remora.pool.Breakers;
import io.remora.pool.EndpointPool;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint on one event loop, as the balancer sees it, with the results of its attempts.
 *
 * <p>Owner: the event loop.
 */
final class EndpointNode implements BalancerNode, Target {
    /** The age of nodes that were there from the start. */
    private static final long ALWAYS_NS = Long.MAX_VALUE / 2;

    private final EndpointPool pool;
    /** The pool for requests that came by a version which multiplexes, where these keep their version. */
    private final @Nullable EndpointPool multiplexed;

    private final Loop loop;
    private final @Nullable History history;
    private final long joinedNs;
    private final @Nullable EndpointHealth health;
    private final @Nullable Breakers breakers;
    private @Nullable HealthChecks checks;
    /** The endpoint as its source described it last. */
    private Endpoint endpoint;

    private int priority;
    private int attempts;
    private boolean removed;
    private boolean answered;

    /**
     * @param multiplexed for requests that came by a version which multiplexes, null where these are no case of their own
     * @param history that the balancer wants to be kept
     * @param joins whether there were others before
     * @param health null where nothing ejects
     * @param breakers null where the cluster has no bounds
     */
    EndpointNode(
            EndpointPool pool,
            @Nullable EndpointPool multiplexed,
            Loop loop,
            @Nullable History history,
            boolean joins,
            @Nullable EndpointHealth health,
            @Nullable Breakers breakers) {
        this.health = health;
        this.breakers = breakers;
        this.pool = pool;
        this.multiplexed = multiplexed;
        this.loop = loop;
        this.history = history;
        this.joinedNs = joins ? loop.nowNs() : loop.nowNs() - ALWAYS_NS;
        this.endpoint = pool.endpoint();
        this.priority = priority(endpoint);
    }

    EndpointPool pool() {
        return pool;
    }

    /** Returns the pool from which {@code client} gets its stream. */
    EndpointPool pool(StreamClient client) {
        return multiplexed != null && client.attributes().multiplexed() ? multiplexed : pool;
    }

    /** Idle connections close, busy ones once they are idle; {@code whenDrained} runs behind the last. */
    void drain(Runnable whenDrained) {
        EndpointPool second = multiplexed;
        if (second == null) {
            pool.drain(whenDrained);
            return;
        }
        second.close();
        pool.drain(new Runnable() {
            @Override
            public void run() {
                second.drain(whenDrained);
            }
        });
    }

    /** Closes every connection that carries nothing, now or later. */
    void close() {
        pool.close();
        if (multiplexed != null) {
            multiplexed.close();
        }
    }

    @Nullable
    EndpointHealth health() {
        return health;
    }

    /** Begins its checks on this loop. */
    void check(HealthChecks begun) {
        checks = begun;
        begun.start();
    }

    /** Notes that its source knows it no longer. */
    void leave() {
        removed = true;
    }

    boolean hasAnswered() {
        return answered;
    }

    boolean isRemoved() {
        return removed;
    }

    void endChecks() {
        if (checks != null) {
            checks.end();
            checks = null;
        }
    }

    /** Takes another description of the same place from the source. */
    void update(Endpoint described) {
        endpoint = described;
        priority = priority(described);
        pool.stats().describe(described.weight(), described.metadata());
    }

    private static int priority(Endpoint endpoint) {
        String text = endpoint.metadata().get(Endpoint.PRIORITY);
        return text == null ? 0 : Integer.parseInt(text);
    }

    /** The endpoint as it was picked, which may be to try it. */
    static EndpointNode of(Target target) {
        return target instanceof EndpointNode node ? node : ((Probe) target).node;
    }

    /** Takes an attempt in, which is to {@link #begin}, if its bounds have room. */
    boolean enter() {
        return breakers == null || breakers.enter();
    }

    /** Begins an attempt; {@link #ended} of the returned target follows. */
    Target begin() {
        attempts++;
        if (history != null) {
            history.began();
        }
        if (health != null && health.isOut()) {
            Probe probe = new Probe(this);
            return health.begins(probe) ? probe : this;
        }
        return this;
    }

    @Override
    public String name() {
        return pool.endpoint().name();
    }

    @Override
    public boolean isInUse() {
        return health == null || !health.isOut();
    }

    @Override
    public void answered(Verdict verdict) {
        answered(this, verdict);
    }

    @Override
    public void ended(Verdict verdict, long latencyNs) {
        ended(this, verdict, latencyNs);
    }

    /**
     * @param by this, or the one that tries it
     */
    void answered(Target by, Verdict verdict) {
        answered = true;
        if (health != null && verdict == Verdict.SUCCESS) {
            health.answered(by);
        } else if (health != null && verdict == Verdict.IGNORED) {
            health.begunToAnswer(by);
        }
    }

    void ended(Target by, Verdict verdict, long latencyNs) {
        attempts--;
        if (history != null) {
            history.ended();
            if (verdict == Verdict.OVERTAKEN) {
                history.learnedAtLeast(latencyNs, loop.readyNs());
            } else if (verdict != Verdict.IGNORED) {
                history.learned(verdict != Verdict.SUCCESS, latencyNs, loop.readyNs());
            }
        }
        pool.stats().increment(EndpointMetric.OUTCOMES, verdict.label());
        if (health != null) {
            health.ended(by, verdict, loop.readyNs());
        }
        if (breakers != null) {
            breakers.leave();
        }
    }

    @Override
    public int load() {
        return attempts;
    }

    @Override
    public boolean isHealthy() {
        return health == null || health.isUsable();
    }

    @Override
    public int weight() {
        return endpoint.weight();
    }

    @Override
    public String zone() {
        return endpoint.metadata().getOrDefault(Endpoint.ZONE, "");
    }

    @Override
    public int priority() {
        return priority;
    }

    @Override
    public long joinedNs() {
        return joinedNs;
    }

    @Override
    public @Nullable History history() {
        return history;
    }

    /**
     * An endpoint that is out of use, as the one attempt sees it on which its return depends: an attempt that began before is not taken
     * for it.
     *
     * <p>Owner: the event loop.
     */
    private static final class Probe implements Target {
        private final EndpointNode node;

        Probe(EndpointNode node) {
            this.node = node;
        }

        @Override
        public String name() {
            return node.name();
        }

        @Override
        public boolean isInUse() {
            return false;
        }

        @Override
        public void answered(Verdict verdict) {
            node.answered(this, verdict);
        }

        @Override
        public void ended(Verdict verdict, long latencyNs) {
            node.ended(this, verdict, latencyNs);
        }
    }
}
