package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * A cluster's answers to failures; a part that is null is off.
 *
 * @param panicPercent of the endpoints; where fewer are in use, all are
 * @param retries of the routes that say nothing of their own
 */
public record ResilienceConfig(
        int panicPercent,
        @Nullable RetryConfig retries,
        @Nullable AccrualConfig accrual,
        @Nullable BreakerConfig breakers,
        @Nullable HealthCheckConfig healthCheck) {
    /** Returns true where endpoints may be out of use. */
    public boolean ejects() {
        return accrual != null || healthCheck != null;
    }
}
