package io.remora.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code clusters}. */
final class ClusterReader {
    private final Problems problems;

    ClusterReader(Problems problems) {
        this.problems = problems;
    }

    /** Every cluster that has a name, in the order of the file, whatever else is wrong with it. */
    Map<String, ClusterConfig> read(Node clusters) {
        Map<String, ClusterConfig> read = new LinkedHashMap<>();
        for (int i = 0; i < clusters.children.size(); i += 2) {
            Node name = clusters.children.get(i);
            Node value = clusters.children.get(i + 1);
            Names.name(name, "the name of a cluster", problems);
            read.put(name.text, cluster(name.text, Section.of(value, "cluster " + name.quoted(), problems)));
        }
        return read;
    }

    private ClusterConfig cluster(String name, Section section) {
        List<Address> endpoints = endpoints(section);
        int maxConnections = section.integer("max-connections", Defaults.MAX_CONNECTIONS, 1, Defaults.MAX_COUNT);
        int idleByDefault = Math.min(Defaults.MAX_IDLE_CONNECTIONS, maxConnections);
        int maxIdle = section.integer("max-idle-connections", idleByDefault, 0, maxConnections);
        Section limits = section.section("limits");
        Section timeouts = section.section("timeouts");
        ClusterConfig cluster = new ClusterConfig(
                name,
                endpoints,
                maxConnections,
                maxIdle,
                limits.heldBytes("header-block", Defaults.RESPONSE_HEADER_BLOCK_BYTES),
                limits.heldBytes("buffer", Defaults.BUFFER_BYTES),
                timeouts.durationNs("connect", Defaults.CONNECT_TIMEOUT_NS),
                timeouts.durationNs("response-header", Defaults.RESPONSE_HEADER_NS),
                timeouts.durationNs("idle", Defaults.BACKEND_IDLE_NS));
        limits.end();
        timeouts.end();
        section.end();
        return cluster;
    }

    private List<Address> endpoints(Section section) {
        List<Address> endpoints = new ArrayList<>();
        for (Node item : section.requiredList("endpoints", "a list of one HOST:PORT or more")) {
            Address endpoint = AddressText.read(item, "endpoint", 1, problems);
            if (endpoint != null && isIn(endpoints, endpoint)) {
                problems.at(item, "endpoint " + item.quoted() + " a second time, expected each once");
            }
            endpoints.add(endpoint == null ? AddressText.NONE : endpoint);
        }
        return List.copyOf(endpoints);
    }

    private static boolean isIn(List<Address> endpoints, Address endpoint) {
        for (Address other : endpoints) {
            if (AddressText.same(endpoint, other)) {
                return true;
            }
        }
        return false;
    }
}
