package io.remora.cluster;

import io.remora.config.model.ClusterConfig;
import io.remora.metrics.Stats;
import io.remora.pool.Protocol;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

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

    /**
     * The same as {@link #handshake} for requests that came by a version which multiplexes, where these go on in it; null where
     * the client's version makes no difference.
     *
     * @throws IOException where that cannot be had
     */
    default @Nullable Handshake multiplexedHandshake(ClusterConfig config, Stats stats) throws IOException {
        return null;
    }

    /** What is spoken behind {@link #multiplexedHandshake}; called only where there is one. */
    default Protocol multiplexed(ClusterConfig config, Loop loop) {
        return of(config, loop);
    }
}
