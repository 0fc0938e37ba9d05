package io.remora.discovery;

import io.remora.config.keys.Key;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Address;
import io.remora.config.model.ConfigException;
import io.remora.config.model.EndpointConfig;
import io.remora.config.yaml.AddressText;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.config.yaml.SourceText;
import io.remora.config.yaml.YamlTree;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a file with a list of endpoints, by the rules of the configuration itself; JSON is YAML. Loaded only where one is configured.
 *
 * <p>Bounds: 1 MiB, 10,000 endpoints. Variables of the environment are unknown there, as it is no part of the configuration.
 */
public final class EndpointList {
    /** A loop keeps up to a kilobyte for each. */
    public static final int MAX_ENDPOINTS = 10_000;

    // no keys of the configuration: they stand in a file of their own
    private static final Key ADDRESS = Key.required(null, "address", "address");
    private static final ValueKey<Integer> WEIGHT = Key.count(null, "weight", 0, EndpointConfig.MAX_WEIGHT, 1);
    private static final Key ZONE = Key.text(null, "zone", "name", "");
    private static final ValueKey<Integer> PRIORITY = Key.count(null, "priority", 0, EndpointConfig.MAX_PRIORITY, 0);

    private final Problems problems;
    private final List<ListedEndpoint> endpoints = new ArrayList<>();
    private final Map<String, Integer> lines = new HashMap<>();

    private EndpointList(Problems problems) {
        this.problems = problems;
    }

    /**
     * Reads all endpoints of a file; it may block.
     *
     * @throws IOException where the file cannot be read
     * @throws ConfigException with all errors in its content
     */
    public static List<ListedEndpoint> read(String path) throws IOException, ConfigException {
        Problems problems = new Problems(path);
        String text;
        try (InputStream file = new FileInputStream(path)) {
            text = SourceText.read(file, problems);
        }
        return read(text, problems);
    }

    static List<ListedEndpoint> read(String text, Problems problems) throws ConfigException {
        Node root = YamlTree.read(text, Map.of(), problems);
        EndpointList list = new EndpointList(problems);
        list.list(root);
        problems.throwIfAny();
        return List.copyOf(list.endpoints);
    }

    private void list(Node root) {
        if (root.kind != Node.Kind.LIST) {
            problems.at(root, "the file is " + root.quoted() + ", expected a list of endpoints");
        } else if (root.children.size() > MAX_ENDPOINTS) {
            String count = root.children.size() + " endpoints";
            problems.at(root, "the file has " + count + ", expected at most " + MAX_ENDPOINTS);
        } else {
            for (Node item : root.children) {
                endpoint(item);
            }
        }
    }

    private void endpoint(Node item) {
        if (item.kind == Node.Kind.TEXT) {
            add(item, 1, "", 0);
            return;
        }
        Section section = Section.of(item, "endpoint", problems);
        if (section.node.isBroken()) {
            return;
        }
        Node address = section.requiredText(ADDRESS, "IP:PORT");
        int weight = section.get(WEIGHT);
        Node zone = section.text(ZONE);
        int priority = section.get(PRIORITY);
        String name = zone == null ? "" : Names.name(zone, ZONE.name, problems);
        section.end();
        if (address != null) {
            add(address, weight, name == null ? "" : name, priority);
        }
    }

    private void add(Node node, int weight, String zone, int priority) {
        Address address = node.text.startsWith(Address.UNIX)
                ? AddressText.readAny(node, ADDRESS.name, 1, problems)
                : AddressText.readLiteral(node, ADDRESS.name, problems);
        if (address == null) {
            return;
        }
        Integer before = lines.putIfAbsent(canonical(address), node.line);
        if (before != null) {
            problems.at(node, "address " + node.quoted() + " is listed twice, first on line " + before);
            return;
        }
        endpoints.add(new ListedEndpoint(address, weight, zone, priority));
    }

    /** Returns the same text for each spelling of an address; a literal, for which nothing is looked up. */
    private static String canonical(Address address) {
        if (address.isUnix()) {
            return address.toString();
        }
        try {
            return InetAddress.getByName(address.host()).getHostAddress() + ' ' + address.port();
        } catch (UnknownHostException e) {
            // its zone is an interface that this machine does not have
            return address.host() + ' ' + address.port();
        }
    }
}
