package io.remora.stages;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.route.Router;
import org.jspecify.annotations.Nullable;

/** Finds the route that takes the request, by its head as the client sent it, and by who the client has proved to be. */
public final class FindRoute extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        Router router = exchange.snapshot().router();
        RequestHead head = exchange.head();
        int pathEnd = router.endOfPlainPath(head.target);
        return pathEnd < 0
                ? take(exchange, OddPath.route(exchange, router))
                : take(exchange, router.route(head, pathEnd, exchange.identity()));
    }

    private static boolean take(StagedRequest exchange, @Nullable RouteConfig route) {
        if (route == null) {
            // an odd path may have failed it
            if (exchange.failure() == null) {
                exchange.fail(Failure.NO_ROUTE);
            }
            return false;
        }
        exchange.route(route);
        return true;
    }
}
