package io.remora.config.text;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.RouteConfig;

/** The text of a listener and of a cluster with {@code protocol: tcp}, for {@link ConfigText}. */
final class TcpText {
    private final ConfigText text;

    TcpText(ConfigText text) {
        this.text = text;
    }

    /** Writes a listener's settings behind the name and the address. */
    void listener(ListenerConfig listener) {
        text.plain(ListenerKeys.PROTOCOL, ListenerKeys.TCP);
        text.section(ListenerKeys.LIMITS);
        text.put(ListenerKeys.CONNECTIONS, listener.limits().connections());
        text.put(ListenerKeys.BUFFER, listener.limits().bufferBytes());
        text.put(ListenerKeys.IN_FLIGHT, listener.limits().inFlightExchanges());
        text.placed(listener.options(), ListenerKeys.TLS);
        text.placed(listener.options(), ListenerKeys.PROXY_PROTOCOL);
        text.unlessEmpty(ListenerKeys.REQUIRE_IDENTITY, listener.requiredIdentities());
        text.placed(listener.options(), ListenerKeys.CLIENTS);
        text.features(listener.options(), ListenerKeys.LISTENERS);
        text.section(ListenerKeys.TIMEOUTS);
        text.put(ListenerKeys.HEADER_READ, listener.timeouts().headerReadNs());
        text.put(ListenerKeys.BODY_IDLE, listener.timeouts().bodyIdleNs());
        text.put(ListenerKeys.IDLE, listener.timeouts().idleNs());
        text.put(ListenerKeys.TCP_KEEP_ALIVE, listener.timeouts().tcpKeepAlive());
        text.section(ListenerKeys.ROUTES);
        for (RouteConfig route : listener.routes()) {
            route(route);
        }
    }

    private void route(RouteConfig route) {
        text.item(ListenerKeys.ROUTE_NAME, route.name());
        RouteText routes = new RouteText(text);
        routes.match(route.match(), true);
        routes.cluster(route);
        text.unlessEmpty(ListenerKeys.ROUTE_REQUIRE_IDENTITY, route.requiredIdentities());
        text.placed(route.options(), ListenerKeys.ROUTE_CLIENTS);
        text.features(route.options(), ListenerKeys.ROUTES);
    }

    /** Writes a cluster's settings behind the endpoints and the balancer. */
    void cluster(ClusterConfig cluster) {
        text.plain(ClusterKeys.PROTOCOL, ListenerKeys.TCP);
        text.put(ClusterKeys.MAX_CONNECTIONS, cluster.maxConnections());
        text.section(ClusterKeys.LIMITS);
        text.put(ClusterKeys.BUFFER, cluster.bufferBytes());
        text.resilience(cluster.options());
        text.placed(cluster.options(), ClusterKeys.TLS);
        text.placed(cluster.options(), ClusterKeys.PROXY_PROTOCOL);
        text.section(ClusterKeys.TIMEOUTS);
        text.put(ClusterKeys.CONNECT, cluster.connectTimeoutNs());
        text.put(ClusterKeys.TCP_KEEP_ALIVE, cluster.tcpKeepAlive());
    }
}
