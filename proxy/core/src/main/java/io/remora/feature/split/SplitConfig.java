package io.remora.feature.split;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The clusters over which a route spreads its requests.
 *
 * @param clusters by name, in the order of the choices of the route
 * @param weights in the same order, at least one of them above 0
 * @param stickyName of the header or cookie; null for any other
 */
public record SplitConfig(
        List<String> clusters,
        List<Integer> weights,
        Sticky sticky,
        @Nullable String stickyName) implements PlacedOption {
    public static final Option<SplitConfig> SPLIT = Option.of(Splitting.CLUSTERS);

    /** Name of the cluster. Each cluster can be listed once. */
    public static final Key CLUSTER = Key.required(ListenerKeys.ROUTE_CLUSTERS, "cluster", "name of a cluster");

    /** Weight of the cluster relative to the sum of all weights. A cluster with weight 0 receives no requests. */
    public static final ValueKey<Integer> WEIGHT =
            Key.count(ListenerKeys.ROUTE_CLUSTERS, "weight", 0, Key.MAX_COUNT, 1);

    /**
     * Part of the request that consistently selects one of {@code clusters}. Requests without this header or cookie can
     * go to any cluster.
     */
    public static final Key STICKY = Key.text(
            ListenerKeys.ROUTES, Splitting.STICKY, "off, `client`, or mapping with `header` or `cookie`", Key.OFF);

    /** Header whose first line is used. */
    public static final Key HEADER = Key.optional(STICKY, "header", "field name");

    /** Cookie whose value is used. */
    public static final Key COOKIE = Key.optional(STICKY, "cookie", "token");

    /** The key by which a request always comes to the same cluster. */
    public enum Sticky {
        OFF,
        CLIENT,
        HEADER,
        COOKIE
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(ListenerKeys.ROUTE_CLUSTERS);
        for (int i = 0; i < clusters.size(); i++) {
            out.item(CLUSTER, clusters.get(i));
            out.put(WEIGHT, weights.get(i));
        }
        if (stickyName == null) {
            out.plain(STICKY, sticky == Sticky.OFF ? Key.OFF : "client");
        } else {
            boolean header = sticky == Sticky.HEADER;
            out.section(STICKY);
            out.text(header ? HEADER : COOKIE, stickyName);
        }
    }
}
