package io.remora.cluster;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Engine;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.util.List;

/**
 * An engine that is not part of the sidecar, whose jars stand next to it on the class path where the configuration
 * selects it. The class has a public constructor without parameters.
 */
public interface EngineProvider {
    /** Returns a line for each part of the configuration that the engine cannot do; it names engine and key. */
    List<String> refusals(ProxyConfig config);

    /** Returns a line for each part of the configuration that the engine does otherwise than the default one. */
    List<String> warnings(ProxyConfig config);

    /**
     * Judges the files that the configuration names, such as users' jars, and runs none of their code.
     *
     * @param name the configuration's name, as the reader knows it
     * @throws ConfigException with everything that is wrong with it
     */
    void check(String name, ProxyConfig config) throws ConfigException;

    /**
     * @param config taken whole by {@link #refusals}
     * @param backends that give the engine its endpoints, and the handshakes of its connections
     * @throws IOException where something that the configuration names cannot be had
     */
    Engine engine(ProxyConfig config, Backends backends, ByteBufAllocator allocator, Stats stats) throws IOException;
}
