package io.remora.cluster;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.LogComponent;
import io.remora.discovery.ResolverConfig;
import io.remora.engine.Cluster;
import io.remora.engine.EngineCluster;
import io.remora.engine.RetryGate;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.NamingStats;
import io.remora.metrics.Stats;
import io.remora.naming.Addr;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import io.remora.pool.Breakers;
import io.remora.transport.Connector;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of all event loops: one resolver, whose answers are applied on each loop in its own time.
 *
 * <p>Thread safe.
 */
final class DefaultCluster implements EngineCluster, Resolver.Watcher {
    /**
     * The time for which the material of handshakes is kept for exchanges under way, on top of the connects of a
     * re-pick and a repetition.
     */
    private static final long RELEASE_NS = 1_000_000_000L;

    private final ClusterConfig config;
    private final Handshake handshake;
    /**
     * The handshake for requests that came by a version which multiplexes; null where these are no case of their own.
     */
    private final @Nullable Handshake multiplexed;

    private final Backends backends;
    private final ByteBufAllocator allocator;
    private final Stats stats;
    private final AutoCloseable watch;
    /** The throttle of its template; null for a cluster that no client names. */
    private final @Nullable LogThrottle shared;

    private final List<LoopCluster> loops = new ArrayList<>(1);
    private volatile Addr addr = new Addr.Pending();
    /** Null until something of it is configured, or an exchange retries. */
    private volatile @Nullable ResilienceState resilience;

    /** Bytes of the heap that its endpoints take, as the process counts them. */
    private long endpointsBytes;

    private boolean ended;
    /** Loops on which nothing of it is left. */
    private int drained;

    /** The source, where the endpoints are not in the configuration. */
    private final @Nullable ClusterSource source;

    /** The number of the source's last answer. */
    private int latestVersion;
    /** Loops on which that is not in effect yet. */
    private int behind;

    DefaultCluster(
            ClusterConfig config,
            Resolver resolver,
            Handshake handshake,
            @Nullable Handshake multiplexed,
            Backends backends,
            ByteBufAllocator allocator,
            Stats stats,
            @Nullable LogThrottle shared) {
        this.config = config;
        this.handshake = handshake;
        this.multiplexed = multiplexed;
        this.backends = backends;
        this.allocator = allocator;
        this.stats = stats;
        this.shared = shared;
        if (config.has(ClusterConfig.PANIC_PERCENT) || config.captures()) {
            resilience = resilienceOf();
        }
        ResolverConfig asked = config.has(ClusterConfig.RESOLVER) ? ResolverConfig.of(config) : null;
        this.source = asked == null ? null : source(config.name(), asked, stats, shared);
        this.watch = resolver.watch(this);
    }

    private static ClusterSource source(String name, ResolverConfig asked, Stats stats, @Nullable LogThrottle shared) {
        NamingStats counts = stats.add(new NamingStats(name, asked.kind(), asked.source()));
        return new ClusterSource(name, asked, counts, shared);
    }

    @Override
    public synchronized Cluster on(Loop loop) {
        for (LoopCluster cluster : loops) {
            if (cluster.loop() == loop) {
                return cluster;
            }
        }
        Connector connector = new Connector(config, loop, allocator, handshake);
        LoopCluster added = new LoopCluster(this, config, loop, connector, backends.protocol(config, loop), stats);
        loops.add(added);
        if (multiplexed != null) {
            added.multiplex(new Connector(config, loop, allocator, multiplexed), backends.multiplexed(config, loop));
        }
        CaptureConfig capture = capture();
        if (capture != null) {
            added.destinations(new Destinations(added, backends, capture));
        }
        if (source != null && source.config().pending() > 0) {
            added.pending(new PendingQueue(added, loop, source.config(), source.stats(), new Runnable() {
                @Override
                public void run() {
                    added.nobodyWaits();
                }
            }));
        }
        if (!hasRoom(addr)) {
            refuse(addr);
            addr = new Addr.Pending();
        }
        apply(added);
        return added;
    }

    // endpoints of the configuration are not refused, as the operator has asked for them
    private boolean hasRoom(Addr next) {
        if (loops.isEmpty()) {
            return true;
        }
        int endpoints = next instanceof Addr.Bound bound ? bound.endpoints().size() : 0;
        long bytes = (long) endpoints * loops.size() * MemoryPlan.ENDPOINT_HEAP_BYTES;
        if (!loops.get(0).loop().memory().growEndpoints(bytes - endpointsBytes)) {
            return source == null;
        }
        endpointsBytes = bytes;
        return true;
    }

    private void refuse(Addr tooMany) {
        int endpoints = tooMany instanceof Addr.Bound bound ? bound.endpoints().size() : 0;
        refused("the heap has no room for " + endpoints + " endpoints; a larger memory limit or profile has");
    }

    // asked for by name first, which loads nothing
    private @Nullable CaptureConfig capture() {
        return config.captures() ? config.options().get(CaptureConfig.CAPTURE) : null;
    }

    private ResilienceState resilienceOf() {
        return new ResilienceState(config, capture(), stats, shared);
    }

    @Nullable
    ClusterHealth health() {
        return resilience == null ? null : resilience.health();
    }

    /**
     * Returns the bounds of an endpoint that an event loop has from now on, null for none; {@link #endBounds} follows.
     */
    @Nullable
    Breakers breakers(Endpoint endpoint) {
        return resilience == null ? null : resilience.breakers(endpoint);
    }

    /** An event loop has nothing of the endpoint any more. */
    void endBounds(Endpoint endpoint) {
        if (resilience != null) {
            resilience.leave(endpoint);
        }
    }

    /** Begins the checks of a new endpoint, which the first of the loops does for all. */
    void check(LoopCluster cluster, EndpointNode node) {
        if (resilience != null && node.health() != null && isFirst(cluster)) {
            resilience.check(cluster.loop(), node);
        }
    }

    private synchronized boolean isFirst(LoopCluster cluster) {
        return loops.get(0) == cluster;
    }

    /** Returns the gate that bounds the retries of all loops, which the first call makes. */
    synchronized RetryGate retries(long nowNs) {
        if (resilience == null) {
            resilience = resilienceOf();
            if (ended) {
                resilience.end();
            }
        }
        return resilience.retries(nowNs);
    }

    @Override
    public synchronized void changed(Addr newAddr) {
        if (ended) {
            // it was on its way when the watch ended
            return;
        }
        if (isAnswer(newAddr) && !hasRoom(newAddr)) {
            refuse(newAddr);
            return;
        }
        if (source != null) {
            boolean wasLost = source.isLost();
            source.heard(newAddr);
            if (source.isLost() && !wasLost) {
                dropLater(source);
            }
        } else if (!isAnswer(newAddr) && newAddr instanceof Addr.Failed failed) {
            Log.warn(LogComponent.CLUSTER, "cluster " + config.name() + ": " + failed.reason());
        }
        if (newAddr != addr && (isAnswer(newAddr) || !isAnswer(addr))) {
            // a word that is no answer leaves the last answer in place
            hold(newAddr);
        }
        if (source != null && behind == 0) {
            source.show();
        }
    }

    /** A loop has applied the answer of this number. */
    synchronized void inEffect(int version) {
        if (version == latestVersion && --behind == 0 && source != null && !ended) {
            source.show();
        }
    }

    @Override
    public synchronized void refused(String why) {
        if (source != null) {
            source.refused(why);
        }
    }

    private static boolean isAnswer(Addr addr) {
        return addr instanceof Addr.Bound || addr instanceof Addr.Empty;
    }

    private void hold(Addr newAddr) {
        addr = newAddr;
        latestVersion++;
        behind = 0;
        for (LoopCluster cluster : loops) {
            apply(cluster);
        }
    }

    // the source is gone: its last answer holds for so long
    private void dropLater(ClusterSource lost) {
        int number = lost.keepNoLonger();
        long keepLastNs = lost.config().keepLastNs();
        if (keepLastNs == Limits.UNLIMITED || !isAnswer(addr)) {
            return;
        }
        if (keepLastNs == 0) {
            drop(number);
        } else if (!loops.isEmpty()) {
            // no lambda, which would load the machinery of method handles as a source is lost
            Runnable task = new Runnable() {
                @Override
                public void run() {
                    drop(number);
                }
            };
            lost.keepUntil(loops.get(0).loop().after(task, keepLastNs));
        }
    }

    private synchronized void drop(int number) {
        if (!ended && source != null && source.isLost(number) && isAnswer(addr)) {
            // what was said before is over by that
            source.show();
            source.dropped();
            hasRoom(new Addr.Empty());
            hold(new Addr.Failed("given up"));
        }
    }

    // what holds when the loop comes round to it, so that no earlier answer is applied behind a later one
    private void apply(LoopCluster cluster) {
        int version = latestVersion;
        behind++;
        cluster.loop().execute(new Runnable() {
            @Override
            public void run() {
                cluster.apply(addr, version);
            }
        });
    }

    @Override
    public void drain() {
        endWatch();
        List<LoopCluster> all = onLoops();
        if (all.isEmpty()) {
            releaseNow();
        }
        for (LoopCluster cluster : all) {
            cluster.loop().background(new ClusterDrain(cluster));
        }
    }

    @Override
    public void close() {
        endWatch();
        for (LoopCluster cluster : onLoops()) {
            cluster.loop().execute(new Runnable() {
                @Override
                public void run() {
                    cluster.close();
                }
            });
        }
    }

    /** Notes that nothing of it is left on this loop, which is the caller's. */
    void drained(Loop loop) {
        synchronized (this) {
            if (++drained < loops.size()) {
                return;
            }
        }
        if (handshake != Handshake.NONE || multiplexed != null) {
            releaseLater(loop);
        }
    }

    // an exchange that is between two attempts has no stream here, and wants a handshake as soon as its next connect is
    // through
    private void releaseLater(Loop loop) {
        Runnable task = new Runnable() {
            @Override
            public void run() {
                if (isRetried()) {
                    releaseLater(loop);
                } else {
                    releaseNow();
                }
            }
        };
        loop.eventLoop().schedule(task, RELEASE_NS + 2 * config.connectTimeoutNs(), TimeUnit.NANOSECONDS);
    }

    private void releaseNow() {
        handshake.release();
        if (multiplexed != null) {
            multiplexed.release();
        }
    }

    private synchronized boolean isRetried() {
        return resilience != null && resilience.isRetried();
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
            hasRoom(new Addr.Empty());
            if (source != null) {
                source.keepNoLonger();
            }
            if (resilience != null) {
                resilience.end();
            }
        }
        handshake.end();
        if (multiplexed != null) {
            multiplexed.end();
        }
        if (source != null) {
            stats.remove(source.stats());
        }
        // not under the lock: the resolver may hold one of its own while it tells
        try {
            watch.close();
        } catch (Exception e) {
            Log.warn(LogComponent.CLUSTER, "cluster " + config.name() + ": resolver failed to stop; continuing: " + e);
        }
    }
}
