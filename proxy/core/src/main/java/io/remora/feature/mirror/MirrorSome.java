package io.remora.feature.mirror;

import io.remora.balance.Draw;
import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;

/** Has a share of the requests of some routes copied to another cluster. */
final class MirrorSome extends Stage {

    private final Draw draw;

    /**
     * @param seed of the choice
     */
    MirrorSome(long seed) {
        draw = new Draw(seed);
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        RouteConfig route = exchange.route();
        MirrorConfig mirror = route == null ? null : route.options().get(MirrorConfig.MIRROR);
        Mirrors mirrors = (Mirrors) exchange.listener().part(Mirroring.NAME);
        if (route != null && mirror != null && mirrors != null && draw.isOneOf(mirror.percent())) {
            mirrors.copy(exchange, mirror, exchange.snapshot().cluster(mirror.cluster()), route.name());
        }
        return true;
    }
}
