package io.remora.cluster;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ResolverConfig;
import io.remora.naming.Resolver;
import java.io.IOException;

/** Chooses where a cluster's endpoints come from. Thread safe. */
public interface Resolvers {
    /**
     * May block; not for an event loop.
     *
     * @throws IOException where the cluster cannot be named at all; the message says which
     */
    Resolver of(ClusterConfig config) throws IOException;

    /**
     * The same for what is no cluster's own.
     *
     * @param name by which it is told apart
     */
    Resolver of(String name, ResolverConfig asked) throws IOException;
}
