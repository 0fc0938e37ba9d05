package io.remora.warmup;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.feature.Features;
import io.remora.http2.config.Http2Config;
import io.remora.tls.config.ListenerTls;
import io.remora.warmupkeys.WarmUpConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Copies of a configuration for the warm-up: listeners on loopback that accept any client, and clusters that learn
 * nothing from it. Pure functions, loaded only for the warm-up.
 */
final class WarmUpCopies {
    private static final Address ANY_PORT = new Address("127.0.0.1", 0);

    private WarmUpCopies() {}

    /**
     * A way in which listeners take requests.
     *
     * @param http2 null where HTTP/1.1 is spoken
     */
    record Kind(
            String name,
            @Nullable ListenerTls tls,
            @Nullable Http2Config http2) {}

    /** All ways of these listeners, each once. */
    static List<Kind> kinds(List<ListenerConfig> listeners) {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        for (ListenerConfig listener : listeners) {
            Http2Config http2 =
                    listener.http2() == null ? null : listener.options().get(Http2Config.HTTP2);
            ListenerTls tls = listener.tls() == null ? null : listener.options().get(ListenerTls.TLS);
            if (listener.tcp()) {
                continue;
            }
            if (tls == null || tls.mode() == ListenerTls.Mode.PERMISSIVE) {
                add(kinds, "", null, http2);
            }
            if (tls != null) {
                add(kinds, " over TLS", askingNobody(tls), http2);
            }
        }
        return List.copyOf(kinds.values());
    }

    private static void add(
            Map<String, Kind> kinds, String protection, @Nullable ListenerTls tls, @Nullable Http2Config http2) {
        if (http2 == null || !http2.alone()) {
            String name = "HTTP/1.1" + protection;
            kinds.putIfAbsent(name, new Kind(name, tls, null));
        }
        if (http2 != null) {
            String name = "HTTP/2" + protection;
            kinds.putIfAbsent(name, new Kind(name, tls, http2));
        }
    }

    private static ListenerTls askingNobody(ListenerTls tls) {
        return new ListenerTls(
                tls.certificates(),
                tls.protocols(),
                ListenerTls.ClientCertificates.OFF,
                null,
                tls.handshakeTimeoutNs(),
                tls.maxHandshakes(),
                ListenerTls.Mode.STRICT,
                null,
                tls.places());
    }

    /** A listener of the warm-up's own that takes requests in this way. */
    static ListenerConfig taking(Kind kind, ListenerConfig plain, String name) {
        return bare(name, plain, kind.tls(), plain.routes(), kind.http2());
    }

    /** Returns a listener on loopback, for any client and without a limit on what comes. */
    private static ListenerConfig bare(
            String name,
            ListenerConfig like,
            @Nullable ListenerTls tls,
            List<RouteConfig> routes,
            @Nullable Http2Config http2) {
        return new ListenerConfig(
                name,
                ANY_PORT,
                like.headers(),
                like.limits(),
                like.timeouts(),
                like.path(),
                routes,
                like.options()
                        .only(Features.SERVER_TIMING, ListenerConfig.DETAILED_ERRORS, ListenerConfig.CLIENT_HALF_CLOSE)
                        .with(ListenerConfig.TLS, tls)
                        .with(Http2Config.HTTP2, http2));
    }

    /** A configuration of these alone, for the same engine. */
    static ProxyConfig of(ProxyConfig proxy, List<ListenerConfig> listeners, Map<String, ClusterConfig> clusters) {
        return new ProxyConfig(
                1,
                proxy.engine(),
                proxy.drainTimeoutNs(),
                proxy.drainIdleNs(),
                proxy.logLevel(),
                proxy.watchdogLiveNs(),
                proxy.admin(),
                listeners,
                clusters,
                proxy.options().only(ProxyConfig.LOG_COMPONENTS, ProxyConfig.FINAGLE));
    }

    // ---- for requests to endpoints

    /** The field by which the copies know the warm-up's own requests, as its routes are written. */
    static final String FIELD = "remora-warm-up";

    /**
     * Returns the listeners to which requests are to be made, with the clusters to which these lead.
     *
     * @param secret that a request has to have, as nothing else is required of a client
     */
    static ProxyConfig asked(ProxyConfig proxy, WarmUpConfig config, String secret) {
        List<ListenerConfig> listeners = new ArrayList<>();
        Map<String, ClusterConfig> clusters = new LinkedHashMap<>();
        for (ListenerConfig listener : proxy.listeners()) {
            if (isAsked(listener, config)) {
                listeners.add(bare(listener.name(), listener, null, open(listener.routes(), secret), null));
                addClusters(listener.routes(), proxy.clusters(), clusters);
            }
        }
        return of(proxy, listeners, clusters);
    }

    private static boolean isAsked(ListenerConfig listener, WarmUpConfig config) {
        for (WarmUpConfig.Get get : config.gets()) {
            if (get.listener().equals(listener.name())) {
                return true;
            }
        }
        return false;
    }

    private static List<RouteConfig> open(List<RouteConfig> routes, String secret) {
        List<RouteConfig> open = new ArrayList<>();
        for (RouteConfig route : routes) {
            open.add(new RouteConfig(
                    route.name(),
                    open(route.match(), secret),
                    route.cluster(),
                    route.policy(),
                    open(route.options(), secret)));
        }
        return List.copyOf(open);
    }

    private static RouteMatch open(RouteMatch match, String secret) {
        Map<String, String> headers = new HashMap<>(match.headers());
        headers.put(FIELD, secret);
        return new RouteMatch(
                match.host(), match.path(), match.pathPrefix(), match.method(), Map.copyOf(headers), match.identity());
    }

    // nobody is refused, nor is anything mirrored, or broken by a fault
    private static Options open(Options options, String secret) {
        return options.only(
                        RouteConfig.TEMPLATE,
                        RouteConfig.DTAB,
                        ClusterConfig.RETRIES,
                        Features.REWRITE,
                        Features.REQUEST_HEADERS,
                        Features.RESPONSE_HEADERS,
                        Features.REDIRECT,
                        Features.RESPOND,
                        Features.SPLIT)
                .with(RouteConfig.CHOICES, open(options.get(RouteConfig.CHOICES, List.of()), secret));
    }

    private static void addClusters(
            List<RouteConfig> routes, Map<String, ClusterConfig> all, Map<String, ClusterConfig> into) {
        for (RouteConfig route : routes) {
            ClusterConfig cluster = all.get(route.cluster());
            if (cluster != null) {
                into.put(cluster.name(), unlearning(cluster));
            }
            addClusters(route.choices(), all, into);
        }
    }

    /** Returns the cluster without ejections and health checks. */
    private static ClusterConfig unlearning(ClusterConfig cluster) {
        return cluster.with(cluster.options().without(ClusterConfig.ACCRUAL).without(ClusterConfig.HEALTH_CHECK));
    }
}
