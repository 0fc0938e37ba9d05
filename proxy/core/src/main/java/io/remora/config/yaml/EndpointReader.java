package io.remora.config.yaml;

import io.remora.config.keys.EndpointKeys;
import io.remora.config.model.EndpointConfig;
import java.util.ArrayList;
import java.util.List;

/** Reads endpoints of which one or more is a mapping. Loaded only where one is configured. */
final class EndpointReader {
    private final Problems problems;

    EndpointReader(Problems problems) {
        this.problems = problems;
    }

    /** Where the address of an endpoint stands. */
    Node address(Node item) {
        if (item.kind != Node.Kind.MAPPING) {
            return item;
        }
        Section section = Section.of(item, "endpoint", problems);
        Node address = section.value(EndpointKeys.ADDRESS);
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
            problems.at(items.get(0), "weights that sum to zero, expected one endpoint or more that gets requests");
        }
        return List.copyOf(read);
    }

    private EndpointConfig read(Node item) {
        Section section = Section.of(item, "endpoint", problems);
        if (!section.has(EndpointKeys.ADDRESS)) {
            section.missing(EndpointKeys.ADDRESS, "HOST:PORT or [IPV6]:PORT");
        }
        EndpointConfig read = new EndpointConfig(
                section.get(EndpointKeys.WEIGHT),
                BalancerReader.zone(section, EndpointKeys.ZONE, problems),
                section.get(EndpointKeys.PRIORITY));
        section.end();
        return read;
    }
}
