package io.remora.naming;

import java.net.SocketAddress;
import java.util.Map;

/**
 * One place that serves a cluster's application. Immutable.
 *
 * @param name {@code host:port}, or {@code unix:} and a path, unique in its cluster; the metric label
 * @param socketAddress resolved
 * @param weight its share of the requests relative to the others', 1 or more
 * @param metadata other facts from the source: {@link #ZONE}, {@link #PRIORITY}
 */
public record Endpoint(String name, SocketAddress socketAddress, int weight, Map<String, String> metadata) {
    /** A name in the metadata: where the endpoint stands. */
    public static final String ZONE = "zone";

    /** A name in the metadata: a number of 0 or more, of which the lowest comes first. */
    public static final String PRIORITY = "priority";

    /** Makes an endpoint with the weight of any other. */
    public static Endpoint of(String name, SocketAddress socketAddress) {
        return new Endpoint(name, socketAddress, 1, Map.of());
    }
}
