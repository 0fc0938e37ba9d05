package io.remora.cluster;

import io.remora.config.ClusterConfig;
import io.remora.metrics.Stats;
import io.remora.pool.Protocol;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Chooses how connections to a cluster's endpoints are made ready and what is spoken on them. Thread safe. */
public interface Protocols {
    /**
     * What stands between the connect and the first request.
     *
     * @param stats where it may count
     * @throws IOException where that cannot be had
     */
    Handshake handshake(ClusterConfig config, Stats stats) throws IOException;

    /** Whether a connection to it would come back to this process. */
    default boolean isOwn(InetSocketAddress destination) {
        return false;
    }

    /** Called on the loop's thread or before it runs. */
    Protocol of(ClusterConfig config, Loop loop);
}
