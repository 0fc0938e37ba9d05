package io.remora.cluster;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.ChangeListener;
import io.remora.metrics.ClusterMetric;
import io.remora.metrics.ClusterStats;
import io.remora.metrics.Stats;
import io.remora.naming.Endpoint;
import io.remora.transport.NanoClock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The health of a cluster's endpoints, which says which are in use. All event loops share it, so that a dead endpoint
 * costs as many failures as configured and not as many on each loop, and one request tries it again and not one of each
 * loop. Loaded only where accrual or checks are on.
 *
 * <p>Thread safe; its lock is that of its endpoints too. Bounds: an entry for each endpoint of the cluster; ten lines
 * of log in ten seconds.
 */
final class ClusterHealth {
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int MOST_LINES = 10;
    private static final int PER_CENT = 100;

    private final String name;
    private final ResilienceConfig config;
    private final ClusterStats stats;
    private final Stats process;
    private final NanoClock clock;
    private final LogThrottle throttle;
    private final Map<String, EndpointHealth> endpoints = new HashMap<>();
    /** The number of endpoints that are out of use for their failures; {@code out} counts all that are out. */
    private int ejected;

    private int out;
    private volatile boolean panic;

    /**
     * @param stats of the cluster
     * @param process has the receiver of ejections
     * @param shared which bounds the lines of all hosts of a template together; null for a cluster that no client names
     */
    ClusterHealth(
            String name,
            ResilienceConfig config,
            ClusterStats stats,
            Stats process,
            NanoClock clock,
            @Nullable LogThrottle shared) {
        this.throttle = shared == null ? new LogThrottle(MOST_LINES, LOG_NS) : shared;
        this.name = name;
        this.config = config;
        this.stats = stats;
        this.process = process;
        this.clock = clock;
    }

    ResilienceConfig config() {
        return config;
    }

    long nowNs() {
        return clock.nowNs();
    }

    /** Returns whether so few endpoints are in use that all are used. */
    boolean isPanic() {
        return panic;
    }

    /** The state of an endpoint for one loop, which owes {@link #leave}. */
    synchronized EndpointHealth join(Endpoint endpoint) {
        String key = endpoint.name() + ' ' + endpoint.socketAddress();
        EndpointHealth known = endpoints.get(key);
        if (known == null) {
            known = new EndpointHealth(this, key, endpoint.name());
            endpoints.put(key, known);
            judge();
        }
        known.loops++;
        return known;
    }

    /** Removes the endpoint on a loop that has released it. */
    synchronized void leave(EndpointHealth health) {
        if (--health.loops == 0) {
            endpoints.remove(health.key);
            health.forget();
            judge();
        }
    }

    // ---- for its endpoints, with the lock held

    /** Returns whether one more endpoint may be out of use for its failures. */
    boolean mayEject() {
        int most = config.accrual() == null ? 0 : config.accrual().maxEjectedPercent();
        return (ejected + 1) * PER_CENT <= most * endpoints.size();
    }

    void ejected(int delta) {
        ejected += delta;
    }

    /** An endpoint is out of use, or back. */
    void changed(boolean isOut) {
        out += isOut ? 1 : -1;
        stats.change(ClusterMetric.EJECTED, isOut ? 1 : -1);
        judge();
    }

    void count(ClusterMetric line, String value) {
        stats.count(line, value);
    }

    /**
     * Counts and records an ejection.
     *
     * @param forNs time until the endpoint is tried again, -1 where its checks decide
     */
    void countEjection(String endpoint, String reason, long forNs) {
        stats.count(ClusterMetric.EJECTIONS, reason);
        ChangeListener recorder = process.changes();
        if (recorder != null) {
            recorder.ejected(name, endpoint, reason, forNs);
        }
    }

    private void judge() {
        int size = endpoints.size();
        boolean now = out > 0 && (size - out) * PER_CENT < config.panicPercent() * size;
        if (now != panic) {
            panic = now;
            stats.change(ClusterMetric.PANIC, now ? 1 : -1);
            log(now ? "panic: " + out + " of " + size + " endpoints are ejected; using all" : "panic ended");
        }
    }

    /** Writes a line, unless there were many just now. */
    void log(String event) {
        String tail = throttle.tail(clock.nowNs());
        if (tail != null) {
            Log.warn(LogComponent.CLUSTER, "cluster " + name + ": " + event + tail);
        }
    }
}
