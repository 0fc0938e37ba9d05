package io.remora.config.rules;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.Multiplexing;
import io.remora.config.model.RouteConfig;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules between the parts of a listener. Loaded only where a listener, or one of its routes, has more than it must. */
public final class ListenerRules {
    private final ListenerConfig listener;
    private final String path;
    private final List<Flaw> flaws = new ArrayList<>();

    private final NamedClusters clusters;

    private ListenerRules(ListenerConfig listener, NamedClusters clusters, String path) {
        this.listener = listener;
        this.clusters = clusters;
        this.path = path;
    }

    /**
     * Returns the flaws of a listener.
     *
     * @param path of the listener, such as {@code listeners[0]}
     */
    public static List<Flaw> judge(ListenerConfig listener, NamedClusters clusters, String path) {
        ListenerRules rules = new ListenerRules(listener, clusters, path);
        rules.identities();
        rules.streams();
        rules.partsOfListeners();
        rules.clusters();
        rules.serverNames();
        return rules.flaws;
    }

    /** Returns whether clients may prove an identity. */
    public static boolean asksForCertificates(ListenerConfig listener) {
        ListenerSecurity tls = listener.tls();
        return tls != null && tls.asksForCertificates();
    }

    /** Returns the flaw of an identity that no client can prove. */
    public static Flaw unproved(String path) {
        return new Flaw(path, "an identity requires tls with client-certificates: optional or required");
    }

    /** Refuses an identity where clients get no request for a certificate. */
    private void identities() {
        if (asksForCertificates(listener)) {
            return;
        }
        identity(listener.requiredIdentities().isEmpty() ? null : "require-identity");
        for (int i = 0; i < listener.routes().size(); i++) {
            RouteConfig route = listener.routes().get(i);
            identity(route.requiredIdentities().isEmpty() ? null : "routes[" + i + "].require-identity");
            identity(route.match().identity() == null ? null : "routes[" + i + "].match.identity");
        }
    }

    private void identity(@Nullable String key) {
        if (key != null) {
            flaws.add(unproved(path + '.' + key));
        }
    }

    /** Demands a watch on both sides where a stream may rest for good. */
    private void streams() {
        Multiplexing http2 = listener.http2();
        boolean pings = http2 != null && http2.alone() && http2.keepAliveNs() != Limits.UNLIMITED;
        boolean watched = pings
                || listener.timeouts().tcpKeepAlive()
                || listener.address().isUnix();
        for (int i = 0; i < listener.routes().size(); i++) {
            RouteConfig route = listener.routes().get(i);
            if (route.policy() == null || route.policy().streamIdleNs() != Limits.UNLIMITED) {
                continue;
            }
            if (!watched) {
                idle(i, "clients", "the listener");
            }
            ClusterConfig unwatched = unwatched(route);
            if (unwatched != null) {
                idle(i, "endpoints", "cluster " + Ascii.quote(unwatched.name()));
            }
        }
    }

    private void idle(int route, String side, String owner) {
        String expected =
                ", expected timeouts.tcp-keep-alive: true in " + owner + ", or http2.keep-alive with protocol 'http2'";
        at("routes[" + route + "].timeouts.stream-idle", "stream-idle: off requires a check of the " + side + expected);
    }

    /** Returns the first cluster of a route whose endpoints nothing watches. */
    private @Nullable ClusterConfig unwatched(RouteConfig route) {
        for (RouteConfig one : route.each()) {
            ClusterConfig cluster = clusters.get(one.cluster());
            if (cluster != null && !cluster.watchesEndpoints()) {
                return cluster;
            }
        }
        return null;
    }

    private void partsOfListeners() {
        if (listener.options().has(ListenerConfig.REQUEST_DTAB)
                && !listener.options().has(ListenerConfig.TRUST)) {
            at("request-dtab", "request-dtab requires trust");
        }
    }

    /** Demands the clusters of routes, and refuses delegations to those that have no name. */
    private void clusters() {
        for (int i = 0; i < listener.routes().size(); i++) {
            RouteConfig route = listener.routes().get(i);
            List<RouteConfig> each = route.each();
            for (int k = 0; k < each.size(); k++) {
                RouteConfig one = each.get(k);
                String key = route.choices().isEmpty() ? "cluster" : "clusters[" + k + "].cluster";
                clusters.judge(one.cluster(), listener.tcp(), path + ".routes[" + i + "]." + key, flaws);
                ClusterConfig cluster = clusters.get(one.cluster());
                if (one.has(RouteConfig.DTAB) && cluster != null && !cluster.has(ClusterConfig.DEST)) {
                    at("routes[" + i + "].dtab", "dtab requires a cluster with dest");
                }
            }
        }
    }

    /** Refuses a name in a client's hello where the listener has decrypted it by then. */
    private void serverNames() {
        for (int i = 0;
                listener.tcp()
                        && listener.tls() != null
                        && i < listener.routes().size();
                i++) {
            if (listener.routes().get(i).match().host() != null) {
                at("routes[" + i + "].match.sni", "match.sni cannot be combined with tls of the listener");
            }
        }
    }

    private void at(String key, String message) {
        flaws.add(new Flaw(path + '.' + key, message));
    }
}
