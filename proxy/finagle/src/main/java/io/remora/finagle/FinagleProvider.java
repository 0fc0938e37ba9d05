package io.remora.finagle;

import io.netty.buffer.ByteBufAllocator;
import io.remora.cluster.EngineProvider;
import io.remora.cluster.Protocols;
import io.remora.cluster.Resolvers;
import io.remora.config.ProxyConfig;
import io.remora.engine.Engine;
import io.remora.metrics.Stats;
import java.util.List;

/** What the sidecar looks up where the configuration asks for Finagle. Thread safe. */
public final class FinagleProvider implements EngineProvider {
    @Override
    public List<String> refusals(ProxyConfig config) {
        return Refusals.of(config);
    }

    @Override
    public Engine engine(Resolvers resolvers, Protocols protocols, ByteBufAllocator allocator, Stats stats) {
        FinagleLog.install();
        return new FinagleEngine(resolvers, protocols, allocator, stats);
    }
}
