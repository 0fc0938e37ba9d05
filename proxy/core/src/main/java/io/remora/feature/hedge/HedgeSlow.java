package io.remora.feature.hedge;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import java.util.IdentityHashMap;
import java.util.List;

/** Sets for the requests of routes with {@code hedge} when they count as slow. */
final class HedgeSlow extends Stage {
    /** Delays by route. The map compares routes by identity, as the configuration has each of them once. */
    private final IdentityHashMap<RouteConfig, HedgeDelay> delays = new IdentityHashMap<>();

    HedgeSlow(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            HedgeConfig hedge = route.options().get(HedgeConfig.HEDGE);
            if (hedge != null) {
                delays.put(route, new HedgeDelay(hedge));
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
