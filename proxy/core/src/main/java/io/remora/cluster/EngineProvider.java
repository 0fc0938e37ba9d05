package io.remora.cluster;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.ProxyConfig;
import io.remora.engine.Engine;
import io.remora.metrics.Stats;
import java.util.List;

/**
 * An engine that is not part of the sidecar, but stands beside it on the class path where it is asked for. The class has a
 * public constructor without parameters.
 */
public interface EngineProvider {
    /** What of the configuration the engine cannot do: a line for each, which names engine and key. */
    List<String> refusals(ProxyConfig config);

    /**
     * @param resolvers by which the engine learns of endpoints
     * @param protocols by whose handshakes its connections are made ready
     */
    Engine engine(Resolvers resolvers, Protocols protocols, ByteBufAllocator allocator, Stats stats);
}
