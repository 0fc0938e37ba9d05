package io.remora.cluster;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Options;
import org.jspecify.annotations.Nullable;

/**
 * A cluster's answers to failures except for retries; a part that is null is off.
 *
 * @param panicPercent of the endpoints; where fewer are in use, all are
 */
public record ResilienceConfig(
        int panicPercent,
        @Nullable AccrualConfig accrual,
        @Nullable BreakerConfig breakers,
        @Nullable HealthCheckConfig healthCheck) {
    /** Returns the answers of a cluster, null where it has none, nor retries. */
    public static @Nullable ResilienceConfig of(ClusterConfig cluster) {
        Options options = cluster.options();
        Integer panicPercent = options.get(ClusterConfig.PANIC_PERCENT);
        return panicPercent == null
                ? null
                : new ResilienceConfig(
                        panicPercent,
                        options.get(AccrualConfig.ACCRUAL),
                        options.get(BreakerConfig.BREAKERS),
                        options.get(HealthCheckConfig.HEALTH_CHECK));
    }

    /** Returns true where endpoints may be out of use. */
    public boolean ejects() {
        return accrual != null || healthCheck != null;
    }
}
