package io.remora.stages;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import io.remora.trust.Identities;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses a client that has not proved to be one of those whom the listener, or the route, is for. */
public final class RequireIdentity extends Stage {
    /** Null where the route says it. */
    private final @Nullable Identities ofListener;
    /** Required identities by route, for routes that require one. */
    private final IdentityHashMap<RouteConfig, Identities> byRoute = new IdentityHashMap<>();

    private RequireIdentity(@Nullable Identities ofListener) {
        this.ofListener = ofListener;
    }

    /** Returns a stage that requires one of these identities of every request. */
    public static RequireIdentity of(List<String> identities) {
        return new RequireIdentity(new Identities(identities));
    }

    /** Returns a stage that requires the identities of the route that was found. */
    public static RequireIdentity byRoute(List<RouteConfig> routes) {
        RequireIdentity stage = new RequireIdentity(null);
        for (RouteConfig route : routes) {
            if (!route.requiredIdentities().isEmpty()) {
                stage.byRoute.put(route, new Identities(route.requiredIdentities()));
            }
        }
        return stage;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Identities required = ofListener;
        if (required == null) {
            RouteConfig route = exchange.route();
            if (route == null || route.requiredIdentities().isEmpty()) {
                return true;
            }
            required = byRoute.get(route);
        }
        if (required == null || !required.contain(exchange.identity())) {
            exchange.fail(Failure.IDENTITY_REFUSED);
            return false;
        }
        return true;
    }
}
