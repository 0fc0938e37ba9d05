package io.remora.config;

import org.jspecify.annotations.Nullable;

/**
 * What a cluster does about failures; whatever is null is off.
 *
 * @param retries of the routes that say nothing of their own
 */
public record ResilienceConfig(@Nullable RetryConfig retries) {}
