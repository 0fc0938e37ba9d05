package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EndpointConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.Options;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code clusters}. */
final class ClusterReader {
    private static final String ENDPOINTS = "a list of at least one HOST:PORT";

    private final FeatureKeys features;
    private final Problems problems;

    ClusterReader(FeatureKeys features, Problems problems) {
        this.features = features;
        this.problems = problems;
    }

    /** Returns every cluster that has a name, in the order of the file, even one with other errors. */
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
        boolean isListed = section.has(ClusterKeys.ENDPOINTS);
        Options parts = inOrder(ClusterKeys.RESOLVER, section, name, false, Options.NONE);
        parts = inOrder(ClusterKeys.TEMPLATE, section, name, false, parts);
        parts = inOrder(ClusterKeys.DEST, section, name, false, parts);
        Node capture = section.value(ClusterKeys.ORIGINAL_DESTINATION);
        boolean captures = capture != null && !capture.isText(Key.OFF);
        boolean elsewhere = captures || !parts.isEmpty();
        List<Address> endpoints = isListed || !elsewhere ? endpoints(section) : List.of();
        int maxConnections = section.get(ClusterKeys.MAX_CONNECTIONS);
        long idleByDefault = Math.min(ClusterKeys.MAX_IDLE_CONNECTIONS.fallback, maxConnections);
        long maxIdle = section.number(ClusterKeys.MAX_IDLE_CONNECTIONS, idleByDefault, maxConnections);
        Section limits = section.section(ClusterKeys.LIMITS);
        Section timeouts = section.section(ClusterKeys.TIMEOUTS);
        Section tls = section.sectionOrOff(ClusterKeys.TLS);
        Node protocol = section.text(ClusterKeys.PROTOCOL);
        boolean tcp = protocol != null && protocol.isText(ListenerKeys.TCP);
        parts = tcp ? parts : http2(section, protocol, name, parts);
        int headerBlockBytes = limits.get(ClusterKeys.HEADER_BLOCK);
        int bufferBytes = limits.get(ClusterKeys.BUFFER);
        long connectNs = timeouts.get(ClusterKeys.CONNECT);
        long responseHeaderNs = timeouts.get(ClusterKeys.RESPONSE_HEADER);
        long idleNs = timeouts.get(ClusterKeys.IDLE);
        Options options = parts.with(ClusterConfig.MAX_AGE_NS, maxAgeNs(timeouts, tls != null && !tcp));
        options = inOrder(ClusterKeys.BALANCER, section, name, tcp, options)
                .with(ClusterConfig.DETAILS, details(section));
        options = resilience(section, name, tcp, options).with(ClusterConfig.TCP, tcp);
        options = proxyVersion(section, name, options)
                .with(ClusterConfig.TCP_KEEP_ALIVE, timeouts.get(ClusterKeys.TCP_KEEP_ALIVE));
        if (tls != null) {
            options = features.read(
                    "clusters.tls",
                    new FeatureSection("clusters.tls", section, name, null, tcp, null, problems),
                    options);
        }
        options = ofFeatures(section, name, tcp, options);
        ClusterConfig cluster = new ClusterConfig(
                name,
                endpoints,
                maxConnections,
                (int) maxIdle,
                headerBlockBytes,
                bufferBytes,
                connectNs,
                responseHeaderNs,
                idleNs,
                options);
        if (tcp) {
            new TcpRules(problems).cluster(section);
        }
        limits.end();
        timeouts.end();
        section.end();
        return cluster;
    }

    /** Reads the part below a key, where the file has it, and returns the options with it. */
    private Options inOrder(Key key, Section section, String name, boolean tcp, Options others) {
        return section.has(key)
                ? features.read(
                        key.name, new FeatureSection(key.name, section, name, null, tcp, null, problems), others)
                : others;
    }

    private Options ofFeatures(Section section, String name, boolean tcp, Options others) {
        Options all = others;
        for (String key : features.ofClusters()) {
            if (section.value(key) != null) {
                all = features.read(key, new FeatureSection(key, section, name, null, tcp, null, problems), all);
            }
        }
        return all;
    }

    /** Reads the longest use of a connection, null for no bound. */
    private static @Nullable Long maxAgeNs(Section timeouts, boolean verified) {
        Key key = ClusterKeys.MAX_CONNECTION_AGE;
        long maxAgeNs = timeouts.number(key, verified ? Limits.VERIFIED_AGE_NS : Limits.UNLIMITED, key.max);
        return maxAgeNs == Limits.UNLIMITED ? null : maxAgeNs;
    }

    /** Reads the version of the PROXY header, none where connections begin without one. */
    private Options proxyVersion(Section section, String name, Options others) {
        Node version = section.value(ClusterKeys.PROXY_PROTOCOL);
        if (version == null || version.isText(Key.OFF)) {
            return others;
        }
        String key = "clusters.proxy-protocol";
        return features.read(key, new FeatureSection(key, section, name, null, false, null, problems), others);
    }

    /** Reads the settings of HTTP/2, none where only HTTP/1.1 is spoken. */
    private Options http2(Section section, @Nullable Node protocol, String name, Options others) {
        boolean plain = protocol == null || protocol.isText(ClusterKeys.PROTOCOL.fallbackText());
        return plain && !section.has(ClusterKeys.HTTP2)
                ? others
                : features.read(
                        "clusters.http2",
                        new FeatureSection("clusters.http2", section, name, null, false, null, problems),
                        others);
    }

    /** Returns the options with the answers to failures. */
    private Options resilience(Section section, String name, boolean tcp, Options others) {
        Options all = inOrder(ClusterKeys.RETRIES, section, name, tcp, others);
        all = inOrder(ClusterKeys.ACCRUAL, section, name, tcp, all);
        all = inOrder(ClusterKeys.BREAKERS, section, name, tcp, all);
        all = inOrder(ClusterKeys.HEALTH_CHECK, section, name, tcp, all);
        // known and judged, even where it has no meaning
        int panicPercent = section.get(ClusterKeys.PANIC_BELOW);
        boolean any = all.has(ClusterConfig.RETRIES)
                || all.has(ClusterConfig.ACCRUAL)
                || all.has(ClusterConfig.BREAKERS)
                || all.has(ClusterConfig.HEALTH_CHECK);
        return any ? all.with(ClusterConfig.PANIC_PERCENT, panicPercent) : all;
    }

    private List<Address> endpoints(Section section) {
        List<Address> endpoints = new ArrayList<>();
        List<Node> items = section.requiredList(ClusterKeys.ENDPOINTS, ENDPOINTS);
        EndpointPart more = isDetailed(items) ? new EndpointPart(problems) : null;
        for (Node given : items) {
            Node item = more == null ? given : more.address(given);
            Address endpoint = AddressText.readAny(item, "endpoint", 1, problems);
            if (endpoint != null && isIn(endpoints, endpoint)) {
                problems.at(item, "endpoint " + item.quoted() + " is listed twice");
            }
            endpoints.add(endpoint == null ? AddressText.NONE : endpoint);
        }
        return List.copyOf(endpoints);
    }

    private List<EndpointConfig> details(Section section) {
        Node list = section.value(ClusterKeys.ENDPOINTS);
        return list != null && isDetailed(list.children) ? new EndpointPart(problems).read(list.children) : List.of();
    }

    // here, so that addresses alone do not load the reader of more
    private static boolean isDetailed(List<Node> endpoints) {
        for (Node endpoint : endpoints) {
            if (endpoint.kind == Node.Kind.MAPPING) {
                return true;
            }
        }
        return false;
    }

    private static boolean isIn(List<Address> endpoints, Address endpoint) {
        for (Address other : endpoints) {
            if (endpoint.isSame(other)) {
                return true;
            }
        }
        return false;
    }
}
