package io.remora.feature.split;

import io.remora.balance.Draw;
import io.remora.balance.Hash;
import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.CookiePairs;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one of the clusters over which a route spreads its requests: by chance, or by a client's address, field or
 * cookie. The exchange has the route of that cluster from here on, so that all its attempts go there.
 *
 * <p>A place between 0 and 1 falls into the part of a cluster, in the order of the file. With other weights, only those
 * places move whose part has become another one's.
 *
 * <p>Cost: a draw or a hash, and a walk over the weights; no allocation.
 */
final class ChooseCluster extends Stage {
    private static final int HASH_BITS = 32;
    /** Any number but 0, which balancers take. */
    private static final long OTHER_BITS = 0x9E3779B97F4A7C15L;

    /** Parts by the listener's route. */
    private final IdentityHashMap<RouteConfig, Parts> parts = new IdentityHashMap<>();

    private final Draw draw;

    /**
     * @param seed of what is left to chance
     */
    ChooseCluster(List<RouteConfig> routes, long seed) {
        this.draw = new Draw(seed);
        for (RouteConfig route : routes) {
            SplitConfig split = route.options().get(SplitConfig.SPLIT);
            if (split != null) {
                parts.put(route, new Parts(split, route.choices()));
            }
        }
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Parts of = parts.get(exchange.route());
        if (of != null) {
            exchange.route(of.at(place(of, exchange)));
        }
        return true;
    }

    private long place(Parts of, StagedRequest exchange) {
        return switch (of.split.sticky()) {
            case CLIENT -> placeOf(Hash.of(exchange.client()));
            case HEADER, COOKIE -> field(of, exchange.head().fields);
            case OFF -> draw.next();
        };
    }

    /**
     * Returns a place from other bits of the hash than the cluster's balancer may take. A part of the clients is thus
     * one at all endpoints.
     */
    static long placeOf(long hash) {
        return Draw.mix(hash ^ OTHER_BITS);
    }

    private long field(Parts of, Fields fields) {
        FieldName field = of.field;
        int line = field == null ? -1 : fields.indexOf(field, 0);
        while (field != null && line >= 0) {
            byte[] octets = fields.array();
            int from = fields.valueStart(line);
            int to = fields.valueEnd(line);
            if (of.cookie == null) {
                return placeOf(Hash.of(octets, from, to));
            }
            int value = CookiePairs.value(of.cookie, octets, from, to);
            if (value >= 0) {
                return placeOf(Hash.of(octets, value, CookiePairs.end(octets, value, to)));
            }
            line = fields.indexOf(field, line + 1);
        }
        return draw.next();
    }

    /** Ends of the clusters' parts, out of the sum of the weights. */
    private static final class Parts {
        final SplitConfig split;
        final List<RouteConfig> routes;
        final @Nullable FieldName field;
        final byte @Nullable [] cookie;
        private final long[] ends;

        Parts(SplitConfig split, List<RouteConfig> routes) {
            this.routes = routes;
            String name = split.stickyName();
            boolean isCookie = split.sticky() == SplitConfig.Sticky.COOKIE;
            this.split = split;
            this.field = name == null ? null : FieldName.of(isCookie ? "Cookie" : name);
            this.cookie = isCookie && name != null ? Octets.of(name).array : null;
            this.ends = new long[split.weights().size()];
            long end = 0;
            for (int i = 0; i < ends.length; i++) {
                end += split.weights().get(i);
                ends[i] = end;
            }
        }

        RouteConfig at(long random) {
            // the sum fits into 32 bits, as at most 32 clusters have at most a million each
            long place = (random >>> HASH_BITS) * ends[ends.length - 1] >>> HASH_BITS;
            int part = 0;
            while (place >= ends[part]) {
                part++;
            }
            return routes.get(part);
        }
    }
}
