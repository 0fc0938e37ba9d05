package io.remora;

import io.remora.config.ClusterConfig;
import io.remora.config.ListenerConfig;
import io.remora.config.ProxyConfig;
import io.remora.transport.TickPeriods;
import java.util.concurrent.TimeUnit;

/** How often deadlines are looked at: an eighth of the shortest timeout, within bounds. */
final class Ticks {
    private static final long MOST_BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Connections that rest must not cost what traffic does: each wake-up is time of a core that every sidecar of a host takes. */
    private static final long MOST_RESTING_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int PARTS = 8;

    private Ticks() {}

    static TickPeriods of(ProxyConfig config) {
        long shortestNs = MOST_RESTING_NS * PARTS;
        for (ListenerConfig listener : config.listeners()) {
            shortestNs = Math.min(shortestNs, listener.timeouts().headerReadNs());
            shortestNs = Math.min(shortestNs, listener.timeouts().bodyIdleNs());
            shortestNs = Math.min(shortestNs, listener.timeouts().idleNs());
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            shortestNs = Math.min(shortestNs, cluster.responseHeaderNs());
            shortestNs = Math.min(shortestNs, cluster.idleNs());
        }
        long partNs = Math.max(LEAST_NS, shortestNs / PARTS);
        return new TickPeriods(Math.min(partNs, MOST_BUSY_NS), partNs);
    }
}
