package io.remora.engine;

import io.remora.config.ClusterConfig;
import java.io.IOException;

/** Makes what carries out attempts at clusters. Thread safe. */
public interface Engine extends AutoCloseable {
    /**
     * Takes a cluster on. May block while it names endpoints; not for an event loop.
     *
     * @param config already judged
     * @throws IOException where the cluster cannot be had at all; the message names it
     */
    EngineCluster open(ClusterConfig config) throws IOException;

    /** Ends what is left. */
    @Override
    void close();
}
