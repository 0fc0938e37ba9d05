package io.remora.cluster;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.remora.config.BreakerConfig;
import io.remora.config.ClusterConfig;
import io.remora.config.HealthCheckConfig;
import io.remora.config.ResilienceConfig;
import io.remora.engine.Cluster;
import io.remora.engine.EngineCluster;
import io.remora.engine.RetryGate;
import io.remora.log.Log;
import io.remora.metrics.ClusterStats;
import io.remora.metrics.Stats;
import io.remora.naming.Addr;
import io.remora.naming.Resolver;
import io.remora.pool.Breakers;
import io.remora.transport.Connector;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import io.remora.transport.NanoClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of all event loops: one resolver, whose answers are applied on each loop in its own time.
 *
 * <p>Thread safe.
 */
final class NettyCluster implements EngineCluster, Resolver.Watcher {
    private final ClusterConfig config;
    private final Handshake handshake;
    private final Protocols protocols;
    private final ByteBufAllocator allocator;
    private final Stats stats;
    private final AutoCloseable watch;
    private final List<LoopCluster> loops = new ArrayList<>(1);
    private volatile Addr addr = new Addr.Pending();
    private @Nullable RetryGate retries;
    private @Nullable ClusterHealth health;
    private @Nullable Breakers breakers;
    private boolean ended;

    NettyCluster(
            ClusterConfig config,
            Resolver resolver,
            Handshake handshake,
            Protocols protocols,
            ByteBufAllocator allocator,
            Stats stats) {
        this.config = config;
        this.handshake = handshake;
        this.protocols = protocols;
        this.allocator = allocator;
        this.stats = stats;
        ResilienceConfig resilience = config.resilience();
        if (resilience != null) {
            health = resilience.ejects() ? health(resilience) : null;
            breakers = resilience.breakers() == null ? null : breakers(resilience.breakers());
        }
        this.watch = resolver.watch(this);
    }

    @Override
    public synchronized Cluster on(Loop loop) {
        for (LoopCluster cluster : loops) {
            if (cluster.loop() == loop) {
                return cluster;
            }
        }
        Connector connector = new Connector(config, loop, allocator, handshake);
        LoopCluster added = new LoopCluster(this, config, loop, connector, protocols.of(config, loop), stats);
        loops.add(added);
        apply(added);
        return added;
    }

    private ClusterHealth health(ResilienceConfig resilience) {
        ClusterStats counts = stats.add(new ClusterStats(config.name()));
        return new ClusterHealth(config.name(), resilience, counts, NanoClock.SYSTEM);
    }

    private static Breakers breakers(BreakerConfig bounds) {
        return new Breakers(bounds.connections(), bounds.pending(), bounds.inFlight());
    }

    @Nullable
    ClusterHealth health() {
        return health;
    }

    @Nullable
    Breakers breakers() {
        return breakers;
    }

    /** Has a new endpoint checked, by the first of the loops for all. */
    void check(LoopCluster cluster, EndpointNode node) {
        ResilienceConfig resilience = config.resilience();
        HealthCheckConfig asked = resilience == null ? null : resilience.healthCheck();
        EndpointHealth state = node.health();
        if (asked != null && state != null && isFirst(cluster)) {
            node.check(new HealthChecks(asked, cluster.loop(), node.pool(), state));
        }
    }

    private synchronized boolean isFirst(LoopCluster cluster) {
        return loops.get(0) == cluster;
    }

    /** What bounds the retries of all loops, once somebody has some. */
    synchronized RetryGate retries(long nowNs) {
        if (retries == null) {
            ResilienceConfig resilience = config.resilience();
            BreakerConfig bounds = resilience == null ? null : resilience.breakers();
            int most = bounds == null ? Integer.MAX_VALUE : bounds.retries();
            retries = new RetryGate(stats.add(new ClusterStats(config.name())), most, nowNs);
        }
        return retries;
    }

    @Override
    public synchronized void changed(Addr newAddr) {
        if (ended) {
            // it was on its way when the watch ended
            return;
        }
        addr = newAddr;
        if (newAddr instanceof Addr.Failed failed) {
            Log.warn("cluster " + config.name() + ": " + failed.reason());
        }
        for (LoopCluster cluster : loops) {
            apply(cluster);
        }
    }

    // what holds when the loop comes round to it, so that no earlier answer is applied behind a later one
    private void apply(LoopCluster cluster) {
        run(cluster, new Runnable() {
            @Override
            public void run() {
                cluster.apply(addr);
            }
        });
    }

    private static void run(LoopCluster cluster, Runnable task) {
        EventLoop eventLoop = cluster.loop().eventLoop();
        if (eventLoop.inEventLoop()) {
            task.run();
        } else if (!eventLoop.isShuttingDown()) {
            eventLoop.execute(task);
        }
    }

    @Override
    public void drain() {
        endWatch();
        for (LoopCluster cluster : onLoops()) {
            run(cluster, new Runnable() {
                @Override
                public void run() {
                    cluster.drain();
                }
            });
        }
    }

    @Override
    public void close() {
        endWatch();
        for (LoopCluster cluster : onLoops()) {
            run(cluster, new Runnable() {
                @Override
                public void run() {
                    cluster.closeIdle();
                }
            });
        }
    }

    private synchronized List<LoopCluster> onLoops() {
        return List.copyOf(loops);
    }

    private void endWatch() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        handshake.end();
        // not under the lock: the resolver may hold one of its own while it tells
        try {
            watch.close();
        } catch (Exception e) {
            Log.warn("cluster " + config.name() + ": its resolver did not end in order: " + e);
        }
    }
}
