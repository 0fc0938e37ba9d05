package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * A cluster whose endpoints are where redirected connections were to go.
 *
 * @param destinations known at once on an event loop
 * @param idleNs for which an unused one is kept
 * @param total bounds on the load of all of them together, where each has bounds of its own; null for none; it says
 *     nothing of retries
 */
public record CaptureConfig(
        int destinations, long idleNs, @Nullable BreakerConfig total) {}
