package io.remora.stages;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;

/** Has an attempt made at the cluster of the route; what follows is relayed. */
public final class Dispatch extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        RouteConfig route = exchange.route();
        if (route == null) {
            throw new IllegalStateException("no stage has found a route");
        }
        exchange.dispatch(exchange.snapshot().cluster(route.cluster()));
        return false;
    }
}
