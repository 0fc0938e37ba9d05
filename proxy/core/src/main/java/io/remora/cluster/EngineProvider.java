package io.remora.cluster;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Engine;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.util.List;

/**
 * An engine that is not part of the sidecar, but stands beside it on the class path where it is asked for. The class has a
 * public constructor without parameters.
 */
public interface EngineProvider {
    /** What of the configuration the engine cannot do: a line for each, which names engine and key. */
    List<String> refusals(ProxyConfig config);

    /** What of the configuration the engine does, but otherwise than the default one: a line for each. */
    List<String> warnings(ProxyConfig config);

    /**
     * Judges what the configuration names beside itself, such as users' jars. Nothing of theirs is run.
     *
     * @param name what the reader was told the configuration is called
     * @throws ConfigException with everything that is wrong with it
     */
    void check(String name, ProxyConfig config) throws ConfigException;

    /**
     * @param config taken whole by {@link #refusals}
     * @param backends by which the engine learns of endpoints, and by whose handshakes its connections are made ready
     * @throws IOException where something that the configuration names cannot be had
     */
    Engine engine(ProxyConfig config, Backends backends, ByteBufAllocator allocator, Stats stats) throws IOException;
}
