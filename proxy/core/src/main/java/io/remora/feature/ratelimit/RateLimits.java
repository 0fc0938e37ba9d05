package io.remora.feature.ratelimit;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.process.Entropy;
import io.remora.transport.NanoClock;
import java.util.ArrayList;
import java.util.List;

/** Rate limits of listeners and of routes. Immutable. */
public final class RateLimits implements Feature {
    /** The name of its keys, and of the state that it keeps for the process, a {@link RateLimiters}. */
    public static final String NAME = "rate-limits";

    @Override
    public Options read(FeatureSection from, Options options) {
        return RateLimitReader.read(from, options);
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        RateLimiters shared = shared(keeper);
        long nowNs = NanoClock.SYSTEM.nowNs();
        List<RateLimitConfig> own = RateLimitList.of(listener.options());
        if (!own.isEmpty()) {
            path.at(Slot.LIMIT).add(LimitRate.of(listener.name(), own, shared, nowNs));
        }
        if (RouteConfig.anyHas(listener.routes(), RateLimitList.LIMITS)) {
            path.at(Slot.ROUTE_LIMIT).add(LimitRate.byRoute(listener.name(), listener.routes(), shared, nowNs));
        }
    }

    /** Returns a listener's own limits and those of its routes. */
    static List<RateLimitConfig> all(ListenerConfig listener) {
        List<RateLimitConfig> all = new ArrayList<>(RateLimitList.of(listener.options()));
        for (RouteConfig route : listener.routes()) {
            all.addAll(RateLimitList.of(route.options()));
        }
        return all;
    }

    @Override
    public void prepare(ListenerConfig listener, Keeper keeper, List<Object> held) {
        shared(keeper).addAll(held, listener, NanoClock.SYSTEM.nowNs());
    }

    /** The buckets that snapshots and event loops share. */
    private static RateLimiters shared(Keeper keeper) {
        synchronized (keeper) {
            Keeper.Kept known = keeper.kept(NAME);
            RateLimiters limiters = known == null
                    ? new RateLimiters(keeper.stats(), Entropy.seed(), Entropy.seed())
                    : (RateLimiters) known;
            keeper.keep(NAME, limiters);
            return limiters;
        }
    }

    @Override
    public long heapBytes(ListenerConfig listener) {
        long bytes = 0;
        for (RateLimitConfig limit : all(listener)) {
            bytes += limit.tableBytes();
        }
        return bytes;
    }

    /** A limit that stays has its table once. */
    @Override
    public long heapBytesBeside(ListenerConfig listener, ProxyConfig next) {
        long bytes = 0;
        for (RateLimitConfig limit : all(listener)) {
            bytes += isKept(limit, listener.name(), next) ? 0 : limit.tableBytes();
        }
        return bytes;
    }

    private static boolean isKept(RateLimitConfig limit, String name, ProxyConfig next) {
        for (ListenerConfig listener : next.listeners()) {
            if (listener.name().equals(name)) {
                for (RateLimitConfig one : all(listener)) {
                    if (one.isSameAs(limit)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
