package io.remora.finagle;

import io.netty.buffer.ByteBufAllocator;
import io.remora.cluster.Protocols;
import io.remora.cluster.Resolvers;
import io.remora.config.ClusterConfig;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.metrics.Stats;
import java.io.IOException;

/** Balances, pools and repeats by Finagle's client stack. Thread safe. */
final class FinagleEngine implements Engine {
    private final Resolvers resolvers;
    private final Protocols protocols;
    private final ByteBufAllocator allocator;
    private final Stats stats;

    FinagleEngine(Resolvers resolvers, Protocols protocols, ByteBufAllocator allocator, Stats stats) {
        this.resolvers = resolvers;
        this.protocols = protocols;
        this.allocator = allocator;
        this.stats = stats;
    }

    @Override
    public EngineCluster open(ClusterConfig config) throws IOException {
        return new FinagleCluster(config, resolvers.of(config), protocols.handshake(config, stats), allocator, stats);
    }

    /** Its clusters hold all there is to end. */
    @Override
    public void close() {}
}
