package io.remora.config;

/**
 * A cluster whose endpoints are where redirected connections were to go.
 *
 * @param destinations known at once on an event loop
 * @param idleNs for how long one is known that nobody uses
 */
public record CaptureConfig(int destinations, long idleNs) {}
