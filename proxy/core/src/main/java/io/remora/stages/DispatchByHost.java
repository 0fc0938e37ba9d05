package io.remora.stages;

import io.remora.config.model.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.engine.LoopHosts;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Authority;
import io.remora.http.Failure;
import io.remora.http.HostName;

/**
 * Dispatch as in {@link Dispatch}, where the clusters of some routes are those of the request's host. A request whose
 * host has none yet is held back until it is there.
 */
public final class DispatchByHost extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        RouteConfig route = exchange.route();
        if (route == null) {
            throw new IllegalStateException("no stage has found a route");
        }
        Cluster cluster = exchange.snapshot().cluster(route.cluster());
        if (cluster instanceof LoopHosts hosts) {
            find(exchange, hosts);
        } else {
            exchange.dispatch(cluster);
        }
        return false;
    }

    private static void find(StagedRequest exchange, LoopHosts hosts) {
        String host = HostName.of(exchange.head().authority);
        if (host == null) {
            exchange.fail(Failure.NO_ROUTE);
            return;
        }
        hosts.find(host, Authority.portOf(exchange.head().authority, hosts.portByDefault()), new LoopHosts.Finder() {
            @Override
            public void found(Cluster cluster) {
                exchange.dispatch(cluster);
            }

            @Override
            public void refused(Failure why) {
                exchange.fail(why);
            }
        });
    }
}
