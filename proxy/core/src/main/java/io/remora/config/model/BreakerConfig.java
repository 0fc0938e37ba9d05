package io.remora.config.model;

/**
 * The load that a cluster takes at once on all event loops; beyond it 503.
 *
 * @param connections open or being made
 * @param pending requests that wait for a connection
 * @param inFlight requests at endpoints, or on their way there
 * @param retries in flight; beyond it there is none
 */
public record BreakerConfig(int connections, int pending, int inFlight, int retries) {}
