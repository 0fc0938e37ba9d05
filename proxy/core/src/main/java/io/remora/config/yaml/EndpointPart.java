package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Address;
import io.remora.config.model.EndpointConfig;
import java.util.ArrayList;
import java.util.List;

/** An endpoint that is more than an address: its keys in the order of the page, read and shown. Loaded only where one is configured. */
public final class EndpointPart {
    /** Address of the endpoint. */
    public static final Key ADDRESS = Key.required(ClusterKeys.ENDPOINTS, "address", "address");

    /**
     * Weight of the endpoint relative to other endpoints. An endpoint with weight 0 receives no requests, and its
     * connections are closed.
     */
    public static final ValueKey<Integer> WEIGHT =
            Key.count(ClusterKeys.ENDPOINTS, "weight", 0, EndpointConfig.MAX_WEIGHT, 1);

    /** Zone of the endpoint, which is compared with {@code zone} in {@code balancer}. */
    public static final Key ZONE = Key.optional(ClusterKeys.ENDPOINTS, "zone", "name");

    /**
     * Priority of the endpoint. Endpoints with the lowest number receive all requests while enough of them are healthy,
     * see {@code spill-below} in {@code balancer}.
     */
    public static final ValueKey<Integer> PRIORITY =
            Key.count(ClusterKeys.ENDPOINTS, "priority", 0, EndpointConfig.MAX_PRIORITY, 0);

    private final Problems problems;

    EndpointPart(Problems problems) {
        this.problems = problems;
    }

    /** Returns the node with the address of an endpoint. */
    Node address(Node item) {
        if (item.kind != Node.Kind.MAPPING) {
            return item;
        }
        Section section = Section.of(item, "endpoint", problems);
        Node address = section.value(ADDRESS);
        return address == null ? Node.broken(item.line, item.column) : address;
    }

    /** One for each endpoint. */
    List<EndpointConfig> read(List<Node> items) {
        List<EndpointConfig> read = new ArrayList<>();
        long weights = 0;
        for (Node item : items) {
            EndpointConfig endpoint = item.kind == Node.Kind.MAPPING ? read(item) : EndpointConfig.PLAIN;
            weights += endpoint.weight();
            read.add(endpoint);
        }
        if (weights == 0) {
            problems.at(items.get(0), "the weights of all endpoints are 0, expected at least one above 0");
        }
        return List.copyOf(read);
    }

    private EndpointConfig read(Node item) {
        Section section = Section.of(item, "endpoint", problems);
        if (!section.has(ADDRESS)) {
            section.missing(ADDRESS, "HOST:PORT or [IPV6]:PORT");
        }
        EndpointConfig read =
                new EndpointConfig(section.get(WEIGHT), Names.zone(section, ZONE, problems), section.get(PRIORITY));
        section.end();
        return read;
    }

    public static void show(KeyWriter out, List<Address> endpoints, List<EndpointConfig> details) {
        for (int i = 0; i < details.size(); i++) {
            String zone = details.get(i).zone();
            out.item(ADDRESS, endpoints.get(i).toString());
            out.put(WEIGHT, details.get(i).weight());
            out.optional(ZONE, zone.isEmpty() ? null : zone);
            out.put(PRIORITY, details.get(i).priority());
        }
    }
}
