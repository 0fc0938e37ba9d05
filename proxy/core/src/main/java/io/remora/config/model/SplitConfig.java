package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The clusters over which a route spreads its requests.
 *
 * @param routes the same route once for each cluster, as if that were its only one
 * @param weights in the same order, at least one of them above 0
 * @param stickyName of the header or cookie; null for any other
 */
public record SplitConfig(
        List<RouteConfig> routes,
        List<Integer> weights,
        Sticky sticky,
        @Nullable String stickyName) {
    /** The key by which a request always comes to the same cluster. */
    public enum Sticky {
        OFF,
        CLIENT,
        HEADER,
        COOKIE
    }
}
