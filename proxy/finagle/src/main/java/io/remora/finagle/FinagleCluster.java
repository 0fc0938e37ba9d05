package io.remora.finagle;

import com.twitter.finagle.Addr;
import io.netty.buffer.ByteBufAllocator;
import io.remora.cluster.ClusterSource;
import io.remora.cluster.PendingQueue;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.LogComponent;
import io.remora.discovery.ResolverConfig;
import io.remora.engine.Cluster;
import io.remora.engine.EngineCluster;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.NamingStats;
import io.remora.metrics.Stats;
import io.remora.naming.Resolver;
import io.remora.transport.Connector;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of all event loops: one resolver, and a client of Finagle's on each loop.
 *
 * <p>Thread safe.
 */
final class FinagleCluster implements EngineCluster {
    private final ClusterConfig config;
    private final Handshake handshake;
    private final ByteBufAllocator allocator;
    private final Stats stats;
    private final @Nullable UserFilters filters;
    private final @Nullable FinagleNames names;
    private final Board board;
    private final AutoCloseable watch;
    /** The source, where the endpoints are not in the configuration. */
    private final @Nullable ClusterSource source;

    private final List<LoopClient> loops = new ArrayList<>(1);
    /** The last answer; null before the first. */
    private @Nullable Addr endpoints;

    private boolean ended;
    /** Loops on which nothing of it is left. */
    private int drained;

    /**
     * @param resolver null where the cluster has a name
     * @param names that bind its own; null where it has none
     * @param board to which it reports its endpoints
     */
    FinagleCluster(
            ClusterConfig config,
            @Nullable Resolver resolver,
            Handshake handshake,
            ByteBufAllocator allocator,
            Stats stats,
            @Nullable UserFilters filters,
            @Nullable FinagleNames names,
            Board board,
            @Nullable LogThrottle shared) {
        this.filters = filters;
        this.names = names;
        this.board = board;
        this.config = config;
        this.handshake = handshake;
        this.allocator = allocator;
        this.stats = stats;
        ResolverConfig asked = ResolverConfig.of(config);
        this.source = asked == null ? null : source(config.name(), asked, stats, shared);
        if (resolver == null) {
            this.watch = () -> {};
        } else {
            board.own(config.name(), this);
            this.watch = resolver.watch(new EndpointWatch(config.name(), source, this::answered));
        }
    }

    /** Makes the source that shows operators a resolver's answers. */
    static ClusterSource source(String name, ResolverConfig asked, Stats stats, @Nullable LogThrottle shared) {
        NamingStats counts = stats.add(new NamingStats(name, asked.kind(), asked.source()));
        return new ClusterSource(name, asked, counts, shared);
    }

    // each loop's balancer hears of it on that loop, between two requests
    private void answered(Addr answer) {
        synchronized (this) {
            // it may have been on its way when the watch ended
            if (ended) {
                return;
            }
            endpoints = answer;
        }
        for (LoopClient client : onLoops()) {
            client.loop().execute(() -> apply(client));
        }
        board.tell(config.name(), this, answer);
    }

    // what holds when the loop comes round to it, so that no earlier answer is applied behind a later one
    private void apply(LoopClient client) {
        Addr answer = lastAnswer();
        if (answer != null) {
            client.apply(answer);
        }
    }

    private synchronized @Nullable Addr lastAnswer() {
        return endpoints;
    }

    @Override
    public synchronized Cluster on(Loop loop) {
        for (LoopClient client : loops) {
            if (client.loop() == loop) {
                return client;
            }
        }
        LoopClient added =
                new LoopClient(config, loop, new Connector(config, loop, allocator, handshake), stats, filters, names);
        loops.add(added);
        if (endpoints != null) {
            // Finagle's balancers connect as they are told of endpoints, and its connections belong to the loop
            loop.execute(() -> apply(added));
        } else if (source != null && source.config().pending() > 0) {
            added.pending(new PendingQueue(added, loop, source.config(), source.stats(), added::nobodyWaits));
        }
        return added;
    }

    @Override
    public void drain() {
        endWatch();
        List<LoopClient> all = onLoops();
        if (all.isEmpty()) {
            handshake.release();
        }
        for (LoopClient client : all) {
            client.loop().execute(() -> client.drain(this::drained));
        }
    }

    private void drained() {
        synchronized (this) {
            if (++drained < loops.size()) {
                return;
            }
        }
        handshake.release();
    }

    @Override
    public void close() {
        endWatch();
        for (LoopClient client : onLoops()) {
            client.loop().execute(client::close);
        }
    }

    private synchronized List<LoopClient> onLoops() {
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
        board.end(config.name(), this);
        if (source != null) {
            stats.remove(source.stats());
        }
        // not under the lock: the resolver may hold one of its own while it tells
        try {
            watch.close();
        } catch (Exception e) {
            Log.warn(LogComponent.FINAGLE, "cluster " + config.name() + ": resolver failed to stop; continuing: " + e);
        }
    }
}
