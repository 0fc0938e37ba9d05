package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.RoutePolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a listener's {@code routes}, or the one route that its {@code cluster} stands for. */
final class RouteReader {
    private static final String FROM_HOST = "host";
    private static final String NAME = "the name of a cluster";

    /** The keys of routes about requests that go to an endpoint, next to those of features. */
    private static final Key[] OF_FORWARDING = {
        ListenerKeys.ROUTE_CLUSTER,
        ListenerKeys.ROUTE_CLUSTER_FROM,
        ListenerKeys.ROUTE_RETRIES,
        ListenerKeys.ROUTE_TIMEOUTS,
        ListenerKeys.ROUTE_DTAB
    };

    private final Problems problems;
    private final FeatureKeys features;
    private final @Nullable Map<String, ClusterConfig> clusters;
    /** True if the connections of the listener that is read are tunnels. */
    private boolean tcp;

    private List<ListenerConfig> listeners = List.of();
    private @Nullable Limits limits;
    private Address address = AddressText.NONE;

    /** The clusters of the route that is being read; null for one, or none. */
    private @Nullable List<Node> several;
    /** Names that the listener that is being read has given away. */
    private final Map<String, List<String>> names = new HashMap<>();

    /**
     * Takes the clusters and the keys that routes may name.
     *
     * @param clusters null where they could not be read, so that no name can be judged
     * @param features the keys that they own
     */
    RouteReader(@Nullable Map<String, ClusterConfig> clusters, FeatureKeys features, Problems problems) {
        this.features = features;
        this.clusters = clusters;
        this.problems = problems;
    }

    List<RouteConfig> read(Section listener, String listenerName, PathConfig.Mode paths) {
        names.clear();
        Node protocol = listener.value(ListenerKeys.PROTOCOL);
        tcp = protocol != null && protocol.isText(ListenerKeys.TCP);
        if (listener.has(ListenerKeys.CLUSTER) && !listener.has(ListenerKeys.ROUTES)) {
            String name = RouteConfig.nameByDefault(listenerName, 1);
            String takes = listener.clusterName(ListenerKeys.CLUSTER, NAME);
            template(listener.value(ListenerKeys.CLUSTER), null, takes, "a route with cluster-from: host");
            Options retries = retries(null, name, takes, Options.NONE);
            RoutePolicy policy = policy(null, retries);
            return List.of(new RouteConfig(name, RouteMatch.EVERYTHING, takes, policy, retries));
        }
        Node cluster = listener.text(ListenerKeys.CLUSTER);
        if (cluster != null) {
            problems.at(cluster, "cluster cannot be combined with routes");
        }
        return routes(listener, listenerName, paths);
    }

    private List<RouteConfig> routes(Section listener, String listenerName, PathConfig.Mode paths) {
        String expected = "a list of at least one route, or a cluster for all requests";
        List<Node> nodes = listener.requiredList(ListenerKeys.ROUTES, expected);
        List<RouteConfig> routes = new ArrayList<>();
        Node catchAll = null;
        for (Node node : nodes) {
            if (catchAll != null) {
                String why = "route is never reached, because the one on line " + catchAll.line;
                problems.at(node, why + " matches every request; move that one to the end");
            }
            Section route = Section.of(node, "route", problems);
            String name = name(route, RouteConfig.nameByDefault(listenerName, routes.size() + 1));
            RouteMatch match = route.has(ListenerKeys.MATCH)
                    ? new MatchPart(listener, paths, tcp, problems).read(route)
                    : RouteMatch.EVERYTHING;
            routes.add(route(route, name, match));
            catchAll = catchAll == null && matchesEverything(route) ? node : catchAll;
        }
        return List.copyOf(routes);
    }

    private static boolean matchesEverything(Section route) {
        Node match = route.value(ListenerKeys.MATCH);
        boolean empty = match != null && match.kind == Node.Kind.MAPPING && match.children.isEmpty();
        return !route.node.isBroken() && (match == null || empty) && !route.has(ListenerKeys.ROUTE_CLUSTER_FROM);
    }

    private String name(Section route, String byDefault) {
        Node given = route.value(ListenerKeys.ROUTE_NAME);
        String name = given == null ? null : Names.name(given, ListenerKeys.ROUTE_NAME.name, problems);
        return name == null ? byDefault : name;
    }

    private RouteConfig route(Section section, String name, RouteMatch match) {
        several = null;
        Options options = ofFeatures(features.ofRoutes(), section, name, match, Options.NONE)
                .with(ListenerConfig.REQUIRED_IDENTITIES, identities(section, ListenerKeys.ROUTE_REQUIRE_IDENTITY));
        RouteConfig route = new RouteConfig(name, match, "", null, options);
        if (several != null) {
            route = splitting(section, route, several);
        } else if (!answers(section)) {
            route = forwarding(section, route);
        }
        if (tcp) {
            new TcpRules(problems).route(section);
        }
        section.end();
        return route;
    }

    private RouteConfig forwarding(Section section, RouteConfig route) {
        String takes = section.clusterName(ListenerKeys.ROUTE_CLUSTER, NAME);
        Options retries = retries(section, route.name(), takes, route.options());
        RoutePolicy policy = policy(section, retries);
        Node from = section.text(ListenerKeys.ROUTE_CLUSTER_FROM);
        Options template = template(section.value(ListenerKeys.ROUTE_CLUSTER), from, takes, "cluster-from: host");
        Options options = dtab(section, route.name(), retries.over(template, RouteConfig.TEMPLATE));
        return new RouteConfig(route.name(), route.match(), takes, policy, options);
    }

    /** Returns whether a route answers by itself. */
    boolean answers(Section section) {
        for (String key : features.ofAnsweringRoutes()) {
            if (section.value(key) != null) {
                return true;
            }
        }
        return false;
    }

    /** Refuses the keys about forwarding in a route that answers by itself, as this key says. */
    void refuseForwarding(Section route, String answer) {
        for (Key key : OF_FORWARDING) {
            refuse(route.value(key), key.name, answer);
        }
        for (String key : features.ofForwardingRoutes()) {
            refuse(route.value(key), key, answer);
        }
    }

    private void refuse(@Nullable Node given, String key, String answer) {
        if (given != null && !given.isText(Key.OFF)) {
            problems.at(given, key + " cannot be combined with " + answer);
        }
    }

    /** Reads the keys of features in a listener, and returns the options with them. */
    Options ofListener(Section section, String name, Options others) {
        return ofFeatures(features.ofListeners(), section, name, null, others);
    }

    /** Reads the keys of features at the top of the file, and returns the options with them. */
    Options ofTop(Section root, Options others) {
        tcp = false;
        return ofFeatures(features.ofTop(), root, "", null, others);
    }

    /** Reads one of these keys at its own moment. */
    Options ofTop(Section root, Key key, Options others) {
        return root.has(key) ? read(key.name, root, "", false, others) : others;
    }

    private Options ofFeatures(
            List<String> keys, Section section, String owner, @Nullable RouteMatch match, Options others) {
        Options all = others;
        for (String key : keys) {
            if (section.value(key) != null || isProtocol(key, section)) {
                all = features.read(key, new FeatureSection(key, section, owner, match, tcp, this, problems), all);
            }
        }
        return all;
    }

    /** Returns whether the listener asks for a feature by its protocol, with which the key need not be given. */
    private static boolean isProtocol(String key, Section section) {
        Node protocol = key.equals(ListenerKeys.DETECT.name) ? section.value(ListenerKeys.PROTOCOL) : null;
        return protocol != null && protocol.isText(key);
    }

    /** Reads a part of the listener at its own moment, and returns the options with it. */
    Options read(String key, Section section, String listener, boolean tunnels, Options others) {
        return features.read(key, new FeatureSection(key, section, listener, null, tunnels, this, problems), others);
    }

    /** Takes what features may ask of the listener that is read from now on. */
    void begin(Address ofListener, Limits itsLimits) {
        address = ofListener;
        limits = itsLimits;
    }

    Address address() {
        return address;
    }

    Limits limits() {
        if (limits == null) {
            throw new IllegalStateException("a listener begins with its limits");
        }
        return limits;
    }

    /** Takes the clusters of the route that is being read. */
    void leadsTo(List<Node> clusters) {
        several = clusters;
    }

    /** Returns the names of a feature's parts so far. */
    List<String> names(String feature) {
        List<String> known = names.get(feature);
        if (known == null) {
            known = new ArrayList<>();
            names.put(feature, known);
        }
        return known;
    }

    /** Takes the listeners, once all are read. */
    void know(List<ListenerConfig> read) {
        listeners = read;
    }

    List<ListenerConfig> listeners() {
        return listeners;
    }

    /** A route that spreads its requests over several clusters. */
    private RouteConfig splitting(Section section, RouteConfig route, List<Node> clusters) {
        List<RouteConfig> routes = new ArrayList<>();
        for (Node cluster : clusters) {
            String takes = cluster.text;
            template(cluster, null, takes, "clusters without template");
            Options named = dtab(section, route.name(), route.options());
            Options options = retries(section, route.name(), takes, named);
            RoutePolicy policy = policy(section, options);
            routes.add(new RouteConfig(route.name(), route.match(), takes, policy, options));
        }
        RouteConfig first = routes.isEmpty() ? route : routes.get(0);
        Options options = first.options().with(RouteConfig.CHOICES, List.copyOf(routes));
        return new RouteConfig(route.name(), route.match(), first.cluster(), first.policy(), options);
    }

    /** Returns the options with the delegations of a route, for an engine that knows such names. */
    private Options dtab(Section route, String name, Options others) {
        Key key = ListenerKeys.ROUTE_DTAB;
        return route.has(key) ? read(key.name, route, name, tcp, others) : others;
    }

    /** Returns the options with the retries of a route, or with its cluster's where it says nothing. */
    private Options retries(@Nullable Section route, String name, String cluster, Options others) {
        if (route != null && route.has(ListenerKeys.ROUTE_RETRIES)) {
            FeatureSection from = new FeatureSection(
                    ListenerKeys.ROUTE_RETRIES.name, route, name, RouteMatch.EVERYTHING, tcp, this, problems);
            return features.read(ListenerKeys.ROUTE_RETRIES.name, from, others);
        }
        ClusterConfig config = clusters == null ? null : clusters.get(cluster);
        return config == null ? others : others.over(config.options(), ClusterConfig.RETRIES);
    }

    /** Returns the timeouts of a route, or of the listener's one cluster. */
    private @Nullable RoutePolicy policy(@Nullable Section route, Options options) {
        boolean retries = options.has(ClusterConfig.RETRIES);
        boolean timed = route != null && route.has(ListenerKeys.ROUTE_TIMEOUTS);
        return retries || timed ? PolicyReader.read(route, retries, problems) : null;
    }

    /** Returns the options with the template of a cluster for each host, which the route has to say as well. */
    private Options template(@Nullable Node cluster, @Nullable Node from, String takes, String expected) {
        ClusterConfig config = clusters == null ? null : clusters.get(takes);
        boolean template = config != null && config.has(ClusterConfig.TEMPLATE);
        if (from != null && !from.isText(FROM_HOST)) {
            problems.at(from, "cluster-from is " + from.quoted() + ", expected " + FROM_HOST);
        } else if (from != null && config != null && !template) {
            problems.at(from, "cluster-from requires a cluster with template");
        } else if (from == null && template && cluster != null) {
            problems.at(cluster, "cluster " + cluster.quoted() + " is a template, expected " + expected);
        }
        return config == null ? Options.NONE : config.options();
    }

    // ---- identities

    /** Returns the identities under a key of the listener or of one of its routes; none where the key is not given. */
    List<String> identities(Section section, Key key) {
        return section.has(key) ? PeerReader.identities(section, key, problems) : List.of();
    }
}
