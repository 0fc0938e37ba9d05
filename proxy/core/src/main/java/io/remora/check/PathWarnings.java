package io.remora.check;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PathConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.feature.Features;
import java.util.ArrayList;
import java.util.List;

/** Routes that protect a path which other spellings pass by. Loaded by {@code remora check} alone, where a listener has {@code path: as-sent}. */
final class PathWarnings {
    private PathWarnings() {}

    static List<String> of(ProxyConfig config) {
        List<String> lines = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            // what its one route does not take, nobody takes
            boolean passes = listener.path().mode() == PathConfig.Mode.AS_SENT
                    && listener.routes().size() > 1;
            for (RouteConfig route : passes ? listener.routes() : List.<RouteConfig>of()) {
                String path = route.match().path() == null
                        ? route.match().pathPrefix()
                        : route.match().path();
                if (path != null && !path.equals("/") && protects(route)) {
                    lines.add("listeners." + listener.name() + ".path: as-sent lets other spellings of " + path
                            + ", such as /." + path + ", bypass the rules of route " + route.name()
                            + "; expected both, normalize or refuse");
                }
            }
        }
        return lines;
    }

    private static boolean protects(RouteConfig route) {
        return route.answers() || route.has(Features.CLIENTS, ListenerConfig.REQUIRED_IDENTITIES, Features.RATE_LIMITS);
    }
}
