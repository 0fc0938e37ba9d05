package io.remora.stages;

import io.remora.balance.Draw;
import io.remora.config.model.MirrorConfig;
import io.remora.config.model.RouteActions;
import io.remora.config.model.RouteConfig;
import io.remora.exchange.Exchange;
import io.remora.exchange.Mirrors;
import io.remora.exchange.Stage;
import java.util.List;

/** Has a share of the requests of some routes copied to another cluster. */
public final class MirrorSome extends Stage {
    private static final int ALL = 100;
    private static final int HASH_BITS = 32;

    private final Draw draw;

    /**
     * @param seed of the choice
     */
    public MirrorSome(long seed) {
        draw = new Draw(seed);
    }

    /** Whether one of the routes has a mirror. */
    public static boolean isNeeded(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            RouteActions actions = route.actions();
            if (actions != null && actions.mirror() != null) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean pass(Exchange exchange) {
        RouteConfig route = exchange.route();
        RouteActions actions = route == null ? null : route.actions();
        MirrorConfig mirror = actions == null ? null : actions.mirror();
        Mirrors mirrors = exchange.listener().mirrors();
        if (route != null && mirror != null && mirrors != null && isChosen(mirror)) {
            mirrors.copy(exchange, mirror, exchange.snapshot().cluster(mirror.cluster()), route.name());
        }
        return true;
    }

    private boolean isChosen(MirrorConfig mirror) {
        return (draw.next() >>> HASH_BITS) * ALL >>> HASH_BITS < mirror.percent();
    }
}
