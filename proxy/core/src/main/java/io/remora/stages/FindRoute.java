package io.remora.stages;

import io.remora.config.RouteConfig;
import io.remora.exchange.Exchange;
import io.remora.exchange.Stage;
import io.remora.http.Failure;

/** Finds the route that takes the request, by its head as the client sent it, and by who the client has proved to be. */
public final class FindRoute extends Stage {
    @Override
    public boolean pass(Exchange exchange) {
        RouteConfig route = exchange.snapshot().router().route(exchange.head(), exchange.identity());
        if (route == null) {
            exchange.fail(Failure.NO_ROUTE);
            return false;
        }
        exchange.route(route);
        return true;
    }
}
