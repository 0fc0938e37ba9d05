package io.remora.naming;

import java.net.InetSocketAddress;

/**
 * One place that serves a cluster's application. Immutable.
 *
 * @param name as the configuration has it, {@code host:port}; the metric label
 * @param socketAddress resolved
 */
public record Endpoint(String name, InetSocketAddress socketAddress) {}
