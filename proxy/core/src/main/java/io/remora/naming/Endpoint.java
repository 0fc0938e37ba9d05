package io.remora.naming;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * One place that serves a cluster's application. Immutable.
 *
 * @param name {@code host:port}, unique in its cluster; the metric label
 * @param socketAddress resolved
 * @param weight its share of the requests relative to the others', 1 or more
 * @param metadata what else the source says of it, a zone for instance
 */
public record Endpoint(String name, InetSocketAddress socketAddress, int weight, Map<String, String> metadata) {
    /** With the weight of any other. */
    public static Endpoint of(String name, InetSocketAddress socketAddress) {
        return new Endpoint(name, socketAddress, 1, Map.of());
    }
}
