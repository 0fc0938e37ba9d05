package io.remora.feature.ratelimit;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses what comes faster than the rate limits of the listener, or of the route, allow. The first limit that is exceeded refuses. */
final class LimitRate extends Stage {
    /** Null where the route has them. */
    private final LoopLimiter @Nullable [] ofListener;

    private final IdentityHashMap<RouteConfig, LoopLimiter[]> byRoute = new IdentityHashMap<>();

    private LimitRate(LoopLimiter @Nullable [] ofListener) {
        this.ofListener = ofListener;
    }

    /** Returns a stage with the same limits for every request. */
    static LimitRate of(String listener, List<RateLimitConfig> limits, RateLimiters shared, long nowNs) {
        return new LimitRate(onLoop(listener, limits, shared, nowNs));
    }

    /** Returns a stage with the limits of the route that was found. */
    static LimitRate byRoute(String listener, List<RouteConfig> routes, RateLimiters shared, long nowNs) {
        LimitRate stage = new LimitRate(null);
        for (RouteConfig route : routes) {
            List<RateLimitConfig> own = RateLimitList.of(route.options());
            if (!own.isEmpty()) {
                stage.byRoute.put(route, onLoop(listener, own, shared, nowNs));
            }
        }
        return stage;
    }

    private static LoopLimiter[] onLoop(
            String listener, List<RateLimitConfig> limits, RateLimiters shared, long nowNs) {
        LoopLimiter[] all = new LoopLimiter[limits.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = new LoopLimiter(shared.of(listener, limits.get(i), nowNs), limits.get(i));
        }
        return all;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        LoopLimiter[] limits = ofListener == null ? byRoute.get(exchange.route()) : ofListener;
        return limits == null || pass(limits, exchange);
    }

    private static boolean pass(LoopLimiter[] limits, StagedRequest exchange) {
        // of this turn: a bucket needs no time of its own for each request
        long nowNs = exchange.readyNs();
        RateLimitTold told = null;
        for (LoopLimiter limit : limits) {
            long waitNs = limit.take(exchange.head().fields, exchange.client(), nowNs);
            if (waitNs > 0) {
                exchange.fail(Failure.RATE_LIMITED, RateLimitFields.of(limit.config(), waitNs, exchange.isGrpcCall()));
                return false;
            }
            if (limit.config().told()) {
                told = tell(exchange, told, limit, nowNs);
            }
        }
        return true;
    }

    // the filter joins before the next limit may refuse, as the refusal tells of those before it too
    private static RateLimitTold tell(
            StagedRequest exchange, @Nullable RateLimitTold before, LoopLimiter limit, long nowNs) {
        RateLimitTold told = before;
        if (told == null) {
            told = new RateLimitTold();
            exchange.join(told);
        }
        told.add(limit, nowNs);
        return told;
    }
}
