package io.remora.config.text;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Limits;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.RoutePolicy;
import io.remora.config.model.SplitConfig;
import io.remora.config.yaml.ActionPart;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The text of routes, with their matches and targets, for {@link ConfigText}. */
final class RouteText {
    private final ConfigText text;

    RouteText(ConfigText text) {
        this.text = text;
    }

    void route(RouteConfig route) {
        text.item(ListenerKeys.ROUTE_NAME, route.name());
        match(route.match());
        cluster(route);
        if (route.has(RouteConfig.TEMPLATE)) {
            text.plain(ListenerKeys.ROUTE_CLUSTER_FROM, ListenerKeys.FROM_HOST);
        }
        text.unlessEmpty(ListenerKeys.ROUTE_REQUIRE_IDENTITY, route.requiredIdentities());
        text.clients(ListenerKeys.ROUTE_CLIENTS, route.clients());
        text.features(route.options(), ListenerKeys.ROUTES);
        if (route.acts()) {
            ActionPart.show(text, route);
        }
        if (route.answer() == null) {
            policy(route, route.policy());
        }
    }

    private void policy(RouteConfig route, @Nullable RoutePolicy policy) {
        SplitConfig split = route.split();
        if (split == null || ActionPart.sharesRetries(split)) {
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

    /** Writes where the route leads, if it leads anywhere. */
    void cluster(RouteConfig route) {
        SplitConfig split = route.split();
        if (split != null) {
            ActionPart.show(text, split);
        } else if (route.answer() == null) {
            text.text(ListenerKeys.ROUTE_CLUSTER, route.cluster());
        }
    }

    private void match(RouteMatch match) {
        if (match.equals(RouteMatch.EVERYTHING)) {
            text.plain(ListenerKeys.MATCH, ListenerKeys.MATCH.fallbackText());
            return;
        }
        text.section(ListenerKeys.MATCH);
        text.optional(ListenerKeys.HOST, match.host());
        text.optional(ListenerKeys.PATH, match.path());
        text.optional(ListenerKeys.PREFIX, match.pathPrefix());
        text.optional(ListenerKeys.METHOD, match.method());
        text.optional(ListenerKeys.MATCH_IDENTITY, match.identity());
        if (!match.headers().isEmpty()) {
            text.section(ListenerKeys.MATCH_HEADERS);
        }
        for (Map.Entry<String, String> header : match.headers().entrySet()) {
            text.header(ListenerKeys.MATCH_HEADERS, header.getKey(), header.getValue());
        }
    }
}
