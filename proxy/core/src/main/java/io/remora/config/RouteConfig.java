package io.remora.config;

/**
 * One rule of a listener's routing table.
 *
 * @param name shown in the access log; the file's own, or {@code LISTENER/INDEX}
 * @param cluster the name of a cluster that exists
 */
public record RouteConfig(String name, RouteMatch match, String cluster) {}
