package io.remora.config.model;

/**
 * The detection of connections that carry no requests, and where they go. Immutable.
 *
 * @param timeoutNs within which a connection shows its protocol
 * @param tunnels the route of connections that are no HTTP
 */
public record DetectConfig(long timeoutNs, RouteConfig tunnels) {}
