package io.remora.config.model;

/**
 * Where connections go that carry no requests, on a listener that finds out what clients speak. Immutable.
 *
 * @param timeoutNs within which a connection says what it is
 * @param tunnels the route of what is no HTTP
 */
public record DetectConfig(long timeoutNs, RouteConfig tunnels) {}
