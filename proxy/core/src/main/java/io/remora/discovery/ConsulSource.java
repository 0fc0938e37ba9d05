package io.remora.discovery;

import org.jspecify.annotations.Nullable;

/**
 * A service in Consul's catalogue whose instances are a cluster's endpoints.
 *
 * @param datacenter null for the agent's own
 * @param tag that an instance must have, null for any
 * @param passingOnly whether an instance with a warning is left out
 * @param waitNs for which Consul holds a query without a new answer
 */
public record ConsulSource(
        String service,
        @Nullable String datacenter,
        @Nullable String tag,
        boolean passingOnly,
        long waitNs,
        SourceServer server) {}
