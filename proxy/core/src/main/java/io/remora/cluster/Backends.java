package io.remora.cluster;

import io.remora.config.model.ClusterConfig;
import io.remora.discovery.ResolverConfig;
import io.remora.metrics.Stats;
import io.remora.naming.Resolver;
import io.remora.pool.Protocol;
import io.remora.transport.Handshake;
import io.remora.transport.Loop;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The interfaces towards endpoints: their sources, the handshakes of connections to them, and the protocols. An engine
 * uses those that it has no own way for. Thread safe.
 */
public interface Backends {
    /**
     * Chooses where a cluster's endpoints come from. May block; not for an event loop.
     *
     * @throws IOException where the cluster cannot be named at all; the message says which
     */
    Resolver resolver(ClusterConfig config) throws IOException;

    /**
     * Chooses where the endpoints of a source that is no cluster's own come from. May block; not for an event loop.
     *
     * @param name the name that tells it from others
     */
    Resolver resolver(String name, ResolverConfig asked) throws IOException;

    /**
     * Makes the handshake between the connect and the first request.
     *
     * @param stats where it may count
     * @throws IOException where that cannot be had
     */
    Handshake handshake(ClusterConfig config, Stats stats) throws IOException;

    /** Returns whether a connection to it would come back to this process. */
    default boolean isOwn(InetSocketAddress destination) {
        return false;
    }

    /** Chooses the protocol. Called on the loop's thread or before it runs. */
    Protocol protocol(ClusterConfig config, Loop loop);

    /**
     * Does the same as {@link #handshake} for requests that came by a version which multiplexes, where these keep their
     * version. Null where the client's version makes no difference.
     *
     * @throws IOException where that cannot be had
     */
    default @Nullable Handshake multiplexedHandshake(ClusterConfig config, Stats stats) throws IOException {
        return null;
    }

    /** Chooses the protocol behind {@link #multiplexedHandshake}; called only where there is one. */
    default Protocol multiplexed(ClusterConfig config, Loop loop) {
        return protocol(config, loop);
    }
}
