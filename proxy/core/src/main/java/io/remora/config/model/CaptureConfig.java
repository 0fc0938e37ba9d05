package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * A cluster whose endpoints are where redirected connections were to go.
 *
 * @param destinations known at once on an event loop
 * @param idleNs for how long one is known that nobody uses
 * @param total what all of them are given together at once, where each has bounds of its own; null for no bound, and it says nothing of retries
 */
public record CaptureConfig(
        int destinations, long idleNs, @Nullable BreakerConfig total) {}
