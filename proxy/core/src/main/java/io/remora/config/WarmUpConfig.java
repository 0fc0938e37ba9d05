package io.remora.config;

/**
 * Requests of the sidecar's own before it is ready. Immutable.
 *
 * @param timeoutNs how long they may take together
 */
public record WarmUpConfig(int requests, long timeoutNs) {}
