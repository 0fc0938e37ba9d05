package io.remora.feature.split;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and judges a route's {@code clusters} and {@code sticky}. */
final class SplitPart {
    private static final int MAX_CLUSTERS = 32;

    private SplitPart() {}

    static Options read(FeatureSection from, Options options) {
        List<Integer> weights = new ArrayList<>();
        List<Node> nodes = clusters(from.section, weights, from.problems);
        List<String> names = new ArrayList<>();
        for (Node node : nodes) {
            names.add(node.text);
        }
        from.leadsTo(nodes);
        return options.with(
                SplitConfig.SPLIT,
                new SplitConfig(
                        List.copyOf(names),
                        List.copyOf(weights),
                        sticky(from.section, from.tcp, from.problems),
                        stickyName(from.section, from.problems)));
    }

    /** Reads the clusters by weight; the problems of a list that is none have been reported. */
    private static List<Node> clusters(Section route, List<Integer> weights, Problems problems) {
        Node cluster = route.value(ListenerKeys.ROUTE_CLUSTER);
        if (cluster != null) {
            problems.at(cluster, "cluster cannot be combined with clusters");
        }
        Node from = route.value(ListenerKeys.ROUTE_CLUSTER_FROM);
        if (from != null) {
            problems.at(from, "cluster-from cannot be combined with clusters");
        }
        List<Node> names = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        long sum = 0;
        for (Node node : route.requiredList(ListenerKeys.ROUTE_CLUSTERS, "a list of clusters with their weights")) {
            Section section = Section.of(node, "item of clusters", problems);
            String name = section.clusterName(SplitConfig.CLUSTER, "the name of a cluster");
            int weight = section.get(SplitConfig.WEIGHT);
            section.end();
            Node named = section.node(SplitConfig.CLUSTER);
            if (seen.contains(name) && !name.isEmpty()) {
                problems.at(named, "cluster " + named.quoted() + " is listed twice");
            }
            seen.add(name);
            names.add(Node.text(named.line, named.column, name));
            weights.add(weight);
            sum += weight;
        }
        Node list = route.value(ListenerKeys.ROUTE_CLUSTERS);
        if (list != null && !names.isEmpty() && sum == 0) {
            problems.at(list, "the weights of all clusters are 0, expected at least one above 0");
        }
        if (list != null && names.size() > MAX_CLUSTERS) {
            problems.at(list, "clusters has " + names.size() + " items, expected at most " + MAX_CLUSTERS);
        }
        return names;
    }

    /** Reads the stickiness of a route with several clusters. */
    private static SplitConfig.Sticky sticky(Section route, boolean tcp, Problems problems) {
        Node node = route.value(SplitConfig.STICKY);
        if (node == null || node.isText(Key.OFF)) {
            return SplitConfig.Sticky.OFF;
        }
        if (node.kind == Node.Kind.TEXT) {
            if (!node.isText("client")) {
                problems.at(node, "sticky is " + node.quoted() + ", expected client, or header or cookie below it");
            }
            return SplitConfig.Sticky.CLIENT;
        }
        Section section = Section.of(node, SplitConfig.STICKY.name, problems);
        Node header = section.value(SplitConfig.HEADER);
        Node cookie = section.value(SplitConfig.COOKIE);
        if (header == null && cookie == null) {
            problems.at(section.node, "sticky requires header or cookie");
        } else if (header != null && cookie != null) {
            problems.at(cookie, "cookie cannot be combined with header");
        } else if (tcp) {
            problems.at(section.node, "sticky with protocol: tcp supports client only");
        }
        section.end();
        return cookie == null ? SplitConfig.Sticky.HEADER : SplitConfig.Sticky.COOKIE;
    }

    private static @Nullable String stickyName(Section route, Problems problems) {
        Node node = route.value(SplitConfig.STICKY);
        if (node == null || node.kind != Node.Kind.MAPPING) {
            return null;
        }
        Section section = route.section(SplitConfig.STICKY);
        Node header = section.value(SplitConfig.HEADER);
        Node name = header != null ? header : section.value(SplitConfig.COOKIE);
        return name == null ? null : Names.token(name, header != null ? "header" : "cookie", problems);
    }
}
