package io.remora.cluster;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.model.ClusterConfig;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.log.LogThrottle;
import io.remora.metrics.Stats;
import io.remora.transport.Handshake;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Names, balances and connects by Remora's own packages. Thread safe. */
public final class DefaultEngine implements Engine {
    private final Backends backends;
    private final ByteBufAllocator allocator;
    private final Stats stats;

    public DefaultEngine(Backends backends, ByteBufAllocator allocator, Stats stats) {
        this.backends = backends;
        this.allocator = allocator;
        this.stats = stats;
    }

    @Override
    public EngineCluster open(ClusterConfig config, @Nullable LogThrottle shared) throws IOException {
        Handshake first = backends.handshake(config, stats);
        @Nullable Handshake multiplexed;
        try {
            multiplexed = backends.multiplexedHandshake(config, stats);
        } catch (IOException | RuntimeException e) {
            first.end();
            first.release();
            throw e;
        }
        if (shared != null) {
            first.warnWithin(shared);
            if (multiplexed != null) {
                multiplexed.warnWithin(shared);
            }
        }
        return new DefaultCluster(
                config, backends.resolver(config), first, multiplexed, backends, allocator, stats, shared);
    }

    /** Does nothing: its clusters hold all there is to end. */
    @Override
    public void close() {}
}
