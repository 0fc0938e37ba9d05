package io.remora.config.model;

/**
 * The detection of connections that carry no requests, and where they go. Immutable.
 *
 * @param timeoutNs within which a connection says what it is
 * @param tunnels the route of what is no HTTP
 */
public record DetectConfig(long timeoutNs, RouteConfig tunnels) {}
