package io.remora.config.text;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.RoutePolicy;
import io.remora.config.yaml.MatchPart;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The text of routes, with their matches and targets, for {@link ConfigText}. */
final class RouteText {
    private final ConfigText text;

    RouteText(ConfigText text) {
        this.text = text;
    }

    void route(RouteConfig route) {
        text.item(ListenerKeys.ROUTE_NAME, route.name());
        match(route.match(), false);
        cluster(route);
        if (route.has(RouteConfig.TEMPLATE)) {
            text.plain(ListenerKeys.ROUTE_CLUSTER_FROM, "host");
        }
        text.unlessEmpty(ListenerKeys.ROUTE_REQUIRE_IDENTITY, route.requiredIdentities());
        text.placed(route.options(), ListenerKeys.ROUTE_CLIENTS);
        text.features(route.options(), ListenerKeys.ROUTES);
        if (!route.answers()) {
            policy(route, route.policy());
        }
    }

    private void policy(RouteConfig route, @Nullable RoutePolicy policy) {
        if (shareRetries(route.choices())) {
            text.placed(route.options(), ListenerKeys.ROUTE_RETRIES);
        }
        text.optional(ListenerKeys.ROUTE_DTAB, route.dtab());
        text.section(ListenerKeys.ROUTE_TIMEOUTS);
        text.put(ListenerKeys.TOTAL, policy == null ? Limits.UNLIMITED : policy.totalNs());
        text.put(ListenerKeys.TRY, policy == null ? Limits.UNLIMITED : policy.tryNs());
        if (policy != null && policy.streamIdleNs() != RoutePolicy.AS_LISTENER) {
            text.put(ListenerKeys.STREAM_IDLE, policy.streamIdleNs());
        }
    }

    /** Returns whether all clusters have the same retries; if not, each has its own, and the route says nothing of them. */
    private static boolean shareRetries(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (!Objects.equals(retries(route), retries(routes.get(0)))) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable Object retries(RouteConfig route) {
        return route.options().get(ClusterConfig.RETRIES);
    }

    /** Writes where the route leads, if it leads anywhere. */
    void cluster(RouteConfig route) {
        if (!route.choices().isEmpty()) {
            text.placed(route.options(), ListenerKeys.ROUTE_CLUSTERS);
        } else if (!route.answers()) {
            text.text(ListenerKeys.ROUTE_CLUSTER, route.cluster());
        }
    }

    /** Writes the conditions of the route. */
    void match(RouteMatch match, boolean tcp) {
        if (match.equals(RouteMatch.EVERYTHING)) {
            text.plain(ListenerKeys.MATCH, ListenerKeys.MATCH.fallbackText());
        } else {
            MatchPart.show(text, match, tcp);
        }
    }
}
