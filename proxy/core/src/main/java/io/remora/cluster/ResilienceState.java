package io.remora.cluster;

import io.remora.config.model.ClusterConfig;
import io.remora.engine.RetryGate;
import io.remora.log.LogThrottle;
import io.remora.metrics.ClusterStats;
import io.remora.metrics.Stats;
import io.remora.naming.Endpoint;
import io.remora.pool.Breakers;
import io.remora.transport.Loop;
import io.remora.transport.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * A cluster's state against failures, for all event loops: the health of its endpoints, the bounds on its load, and the gate of its
 * retries. Loaded only for a cluster that has any of them.
 *
 * <p>Thread safe.
 */
final class ResilienceState {
    private final ClusterConfig config;
    private final Stats stats;
    private final @Nullable HealthCheckConfig healthCheck;
    private final @Nullable ClusterHealth health;
    private final @Nullable Breakers breakers;
    /** The bounds by destination, instead of {@code breakers}, where endpoints are where connections were to go. */
    private final @Nullable DestinationBreakers destinations;

    private @Nullable RetryGate retries;
    /** Null until something is counted. */
    private @Nullable ClusterStats counts;

    private boolean ended;

    /**
     * @param capture null where endpoints are not where connections were to go
     * @param shared which bounds the warnings of all hosts of a template together; null for a cluster that no client names
     */
    ResilienceState(ClusterConfig config, @Nullable CaptureConfig capture, Stats stats, @Nullable LogThrottle shared) {
        this.config = config;
        this.stats = stats;
        ResilienceConfig asked = config.has(ClusterConfig.PANIC_PERCENT) ? ResilienceConfig.of(config) : null;
        this.healthCheck = asked == null ? null : asked.healthCheck();
        this.health = asked == null || !asked.ejects()
                ? null
                : new ClusterHealth(config.name(), asked, counts(), stats, NanoClock.SYSTEM, shared);
        BreakerConfig bounds = asked == null ? null : asked.breakers();
        this.breakers = capture != null || bounds == null
                ? null
                : new Breakers(bounds.connections(), bounds.pending(), bounds.inFlight(), null);
        this.destinations = capture == null || bounds == null && capture.total() == null
                ? null
                : new DestinationBreakers(bounds, capture);
    }

    private synchronized ClusterStats counts() {
        if (counts == null) {
            ClusterStats own = new ClusterStats(config.name());
            // what comes after the end is not counted
            counts = ended ? own : stats.add(own);
        }
        return counts;
    }

    @Nullable
    ClusterHealth health() {
        return health;
    }

    /** Returns the bounds of an endpoint that an event loop has from now on, null for none; {@link #leave} follows. */
    @Nullable
    Breakers breakers(Endpoint endpoint) {
        return destinations == null ? breakers : destinations.join(endpoint.name());
    }

    /** An event loop has nothing of the endpoint any more. */
    void leave(Endpoint endpoint) {
        if (destinations != null) {
            destinations.leave(endpoint.name());
        }
    }

    /** Begins the checks of an endpoint on a loop, where there are any. */
    void check(Loop loop, EndpointNode node) {
        EndpointHealth state = node.health();
        if (healthCheck != null && state != null) {
            node.check(new HealthChecks(healthCheck, loop, node.pool(), state));
        }
    }

    /** Returns the gate that bounds the retries of all loops, which the first call makes. */
    synchronized RetryGate retries(long nowNs) {
        if (retries == null) {
            BreakerConfig bounds =
                    config.has(ClusterConfig.BREAKERS) ? config.options().get(BreakerConfig.BREAKERS) : null;
            int most = bounds == null ? Integer.MAX_VALUE : bounds.retries();
            retries = new RetryGate(counts(), most, nowNs);
        }
        return retries;
    }

    synchronized boolean isRetried() {
        return retries != null && retries.isInUse();
    }

    /** The cluster has ended: nothing of it is counted any more. */
    synchronized void end() {
        ended = true;
        if (counts != null) {
            stats.remove(counts);
        }
    }
}
