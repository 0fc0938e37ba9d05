package io.remora.stages;

import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.exchange.HedgeDelay;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import java.util.IdentityHashMap;
import java.util.List;

/** Says of the requests of routes with {@code hedge} when they are slow. */
public final class HedgeSlow extends Stage {
    /** Of each route the one that the configuration has, and no other is like it. */
    private final IdentityHashMap<RouteConfig, HedgeDelay> delays = new IdentityHashMap<>();

    public HedgeSlow(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            RoutePolicy policy = route.policy();
            if (policy != null && policy.hedge() != null) {
                delays.put(route, new HedgeDelay(policy.hedge()));
            }
        }
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        HedgeDelay delay = delays.get(exchange.route());
        if (delay != null) {
            exchange.hedge(delay);
        }
        return true;
    }
}
