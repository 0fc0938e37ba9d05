package io.remora.stages;

import io.remora.config.model.PathConfig;
import io.remora.config.model.PathConfig.Separator;
import io.remora.config.model.RouteConfig;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.route.Router;
import io.remora.text.PathSpelling;
import org.jspecify.annotations.Nullable;

/**
 * Routes a request whose path may have another spelling, so that none of them takes another route than the others. Pure functions; loaded
 * with the first such request.
 *
 * <p>Spec: RFC 3986 6.2.2; RFC 9110 7.7, by which a path goes on as it came.
 */
final class OddPath {
    private OddPath() {}

    /** Returns the route; null where there is none, or where the path has failed the exchange. */
    static @Nullable RouteConfig route(StagedRequest exchange, Router router) {
        RequestHead head = exchange.head();
        Octets target = head.target;
        int query = RequestHead.endOfPath(target);
        PathSpelling path = new PathSpelling(target.array, target.start, query);
        PathConfig config = router.pathConfig();
        boolean refused = hasRefused(path, config);
        if (refused || isUnclear(path, config.mode(), router)) {
            exchange.fail(Failure.BAD_PATH, refused ? Rule.PATH_REFUSED : Rule.PATH_SPELLING);
            return null;
        }
        if (config.mode() == PathConfig.Mode.AS_SENT) {
            return router.route(head, query, exchange.identity());
        }
        RouteConfig route = router.route(head, Octets.of(path.normalized()), exchange.identity());
        if (config.mode() == PathConfig.Mode.NORMALIZE) {
            head.sendTarget(Octets.of(path.normalizedWith(target.array, query, target.end)));
        } else if (!path.isNormalized() && !isSame(route, routeAsSent(router, exchange, path))) {
            exchange.fail(Failure.BAD_PATH, Rule.PATH_SPELLING);
            return null;
        }
        return route;
    }

    private static @Nullable RouteConfig routeAsSent(Router router, StagedRequest exchange, PathSpelling path) {
        return router.route(exchange.head(), Octets.of(path.asSent()), exchange.identity());
    }

    // one of the table's, or none; a record's own comparison is put together from many classes
    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(@Nullable RouteConfig one, @Nullable RouteConfig other) {
        return one == other;
    }

    private static boolean isUnclear(PathSpelling path, PathConfig.Mode mode, Router router) {
        return switch (mode) {
            case AS_SENT -> false;
            case BOTH, NORMALIZE -> router.isByPath() && path.hasUnclearDots();
            case REFUSE -> !path.isNormalized() || path.hasUnclearDots();
        };
    }

    private static boolean hasRefused(PathSpelling path, PathConfig config) {
        for (Separator refused : config.refused()) {
            boolean has =
                    switch (refused) {
                        case BACKSLASH -> path.has('\\', true);
                        case DOUBLE_SLASH -> path.hasDoubleSlash();
                        case ENCODED_SLASH -> path.has('/', false);
                        case SEMICOLON -> path.has(';', true);
                    };
            if (has) {
                return true;
            }
        }
        return false;
    }
}
