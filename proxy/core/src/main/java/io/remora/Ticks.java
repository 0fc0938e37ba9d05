package io.remora;

import io.remora.config.ClusterConfig;
import io.remora.config.ListenerConfig;
import io.remora.config.ProxyConfig;
import java.util.concurrent.TimeUnit;

/** How often deadlines are looked at: an eighth of the shortest timeout. */
final class Ticks {
    /** An idle loop wakes no more often than ten times a second. */
    private static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int PARTS = 8;

    private Ticks() {}

    static long of(ProxyConfig config) {
        long shortestNs = MOST_NS * PARTS;
        for (ListenerConfig listener : config.listeners()) {
            shortestNs = Math.min(shortestNs, listener.timeouts().headerReadNs());
            shortestNs = Math.min(shortestNs, listener.timeouts().bodyIdleNs());
            shortestNs = Math.min(shortestNs, listener.timeouts().idleNs());
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            shortestNs = Math.min(shortestNs, cluster.responseHeaderNs());
            shortestNs = Math.min(shortestNs, cluster.idleNs());
        }
        return Math.max(LEAST_NS, shortestNs / PARTS);
    }
}
