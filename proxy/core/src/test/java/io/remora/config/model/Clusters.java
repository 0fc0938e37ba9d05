package io.remora.config.model;

import io.remora.cluster.AccrualConfig;
import io.remora.cluster.BalancerConfig;
import io.remora.cluster.BreakerConfig;
import io.remora.cluster.HealthCheckConfig;
import io.remora.cluster.ResilienceConfig;
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
                options(resilience).with(BalancerConfig.BALANCER, balancer));
    }

    private static Options options(@Nullable ResilienceConfig resilience) {
        return resilience == null
                ? Options.NONE
                : Options.NONE
                        .with(ClusterConfig.PANIC_PERCENT, resilience.panicPercent())
                        .with(AccrualConfig.ACCRUAL, resilience.accrual())
                        .with(BreakerConfig.BREAKERS, resilience.breakers())
                        .with(HealthCheckConfig.HEALTH_CHECK, resilience.healthCheck());
    }
}
