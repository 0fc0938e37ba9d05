package io.remora.engine;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.log.LogThrottle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the clusters at which attempts are carried out. Thread safe. */
public interface Engine extends AutoCloseable {
    /** Takes on a cluster of the configuration's own, as {@link #open(ClusterConfig, LogThrottle)} does. */
    default EngineCluster open(ClusterConfig config) throws IOException {
        return open(config, null);
    }

    /**
     * Takes a cluster on. May block while it names endpoints; not for an event loop.
     *
     * @param config already judged
     * @param shared which bounds its warnings together with those of the other hosts of its template; null for a cluster that no client names
     * @throws IOException where the cluster cannot be had at all; the message names it
     */
    EngineCluster open(ClusterConfig config, @Nullable LogThrottle shared) throws IOException;

    /**
     * Announces listeners, as their configurations demand, until {@link #unannounce}. Returns at once; where it cannot
     * be done yet, it is tried again.
     *
     * @param bound where each of them takes requests
     */
    default void announce(Map<ListenerConfig, InetSocketAddress> bound) {}

    /**
     * Takes that back, so that clients look elsewhere before the ports close. Returns at once.
     *
     * @param then run once, on any thread: as soon as no client finds them any more, or after a second
     */
    default void unannounce(Runnable then) {
        then.run();
    }

    /** Ends all that is left. */
    @Override
    void close();
}
