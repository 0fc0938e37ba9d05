package io.remora.finagle;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.ClusterConfig;
import io.remora.engine.Cluster;
import io.remora.engine.EngineCluster;
import io.remora.log.Log;
import io.remora.metrics.Stats;
import io.remora.naming.Resolver;
import io.remora.transport.Connector;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.util.ArrayList;
import java.util.List;

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
    private final EndpointVar endpoints;
    private final AutoCloseable watch;
    private final List<LoopClient> loops = new ArrayList<>(1);
    private boolean ended;
    /** Loops on which nothing of it is left. */
    private int drained;

    FinagleCluster(
            ClusterConfig config, Resolver resolver, Handshake handshake, ByteBufAllocator allocator, Stats stats) {
        this.config = config;
        this.handshake = handshake;
        this.allocator = allocator;
        this.stats = stats;
        this.endpoints = new EndpointVar(config.name());
        this.watch = resolver.watch(endpoints);
    }

    @Override
    public synchronized Cluster on(Loop loop) {
        for (LoopClient client : loops) {
            if (client.loop() == loop) {
                return client;
            }
        }
        LoopClient added =
                new LoopClient(config, loop, endpoints.var(), new Connector(config, loop, allocator, handshake), stats);
        loops.add(added);
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
        // not under the lock: the resolver may hold one of its own while it tells
        try {
            watch.close();
        } catch (Exception e) {
            Log.warn("cluster " + config.name() + ": its resolver did not end in order: " + e);
        }
    }
}
