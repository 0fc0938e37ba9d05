package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.model.Address;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.RouteMatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of the file in which a feature's key stands, while its feature reads it. Loaded only where one is given. */
public final class FeatureSection {
    /** The name of the key to be read, for features that have several. */
    public final String key;

    public final Section section;
    public final Problems problems;

    /** The name of the listener, route or cluster; empty at the top of the file. */
    public final String owner;

    /** True for a route. */
    public final boolean ofRoute;

    /** True where connections are tunnels. */
    public final boolean tcp;

    private final @Nullable RouteMatch match;
    private final @Nullable RouteReader routes;

    FeatureSection(
            String key,
            Section section,
            String owner,
            @Nullable RouteMatch match,
            boolean tcp,
            @Nullable RouteReader routes,
            Problems problems) {
        this.key = key;
        this.section = section;
        this.owner = owner;
        this.match = match;
        this.ofRoute = match != null;
        this.tcp = tcp;
        this.routes = routes;
        this.problems = problems;
    }

    /** Refuses a key where connections are tunnels, unless it is switched off. */
    public void refuseForTunnels(String key) {
        refuseForTunnels(section, key);
    }

    /** Refuses a key of a part of this section so. */
    public void refuseForTunnels(Section part, String key) {
        Node given = part.value(key);
        if (tcp && given != null && !given.isText(Key.OFF)) {
            problems.at(given, key + " is not supported with protocol: tcp");
        }
    }

    /** Returns whether a key has this text as its value. */
    public boolean isText(String key, String text) {
        Node given = section.value(key);
        return given != null && given.isText(text);
    }

    /** Returns the address of the listener. */
    public Address address() {
        return routes().address();
    }

    /** Returns the limits of the listener. */
    public Limits limits() {
        return routes().limits();
    }

    /** Returns the conditions of the route. */
    public RouteMatch match() {
        if (match == null) {
            throw new IllegalStateException("only a route matches requests");
        }
        return match;
    }

    /** Refuses the keys of a route that are about requests which go to an endpoint: next to the one that is read, nothing is forwarded. */
    public void forwardsNothing() {
        routes().refuseForwarding(section, key);
    }

    /** Has the route lead to several clusters, each as if it were the only one. */
    public void leadsTo(List<Node> clusters) {
        routes().leadsTo(clusters);
    }

    private RouteReader routes() {
        if (routes == null) {
            throw new IllegalStateException("a cluster names no cluster");
        }
        return routes;
    }

    /** Returns the names that parts of a feature have in the listener and its routes so far; a part with a name adds it. */
    public List<String> names(String feature) {
        return routes().names(feature);
    }

    /** Returns whether the route answers by itself. */
    public boolean answers() {
        return routes().answers(section);
    }

    /** Returns the listeners, at the top of the file. */
    public List<ListenerConfig> listeners() {
        return routes().listeners();
    }
}
