package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configurations of clusters for tests that read none from YAML. */
public final class Clusters {
    private static final int OCTETS = 1_024;

    private Clusters() {}

    /**
     * The cluster {@code app}, with small buffers and whatever can be off turned off.
     *
     * @param timeoutNs of everything that there is to wait for
     */
    public static ClusterConfig plain(
            int maxConnections,
            int maxIdle,
            long timeoutNs,
            @Nullable BalancerConfig balancer,
            @Nullable ResilienceConfig resilience,
            Address... endpoints) {
        return new ClusterConfig(
                "app",
                List.of(endpoints),
                maxConnections,
                maxIdle,
                OCTETS,
                OCTETS,
                timeoutNs,
                timeoutNs,
                timeoutNs,
                Options.NONE.with(ClusterConfig.BALANCER, balancer).with(ClusterConfig.RESILIENCE, resilience));
    }
}
