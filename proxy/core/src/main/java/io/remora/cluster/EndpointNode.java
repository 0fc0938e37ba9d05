package io.remora.cluster;

import io.remora.balance.Node;
import io.remora.metrics.EndpointMetric;
import io.remora.naming.Endpoint;
import io.remora.pool.Breakers;
import io.remora.pool.EndpointPool;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint on one event loop: what the balancer sees of it, and what its attempts tell it.
 *
 * <p>Owner: the event loop.
 */
final class EndpointNode implements Node, Target {
    private final EndpointPool pool;
    private final @Nullable EndpointHealth health;
    private final @Nullable Breakers breakers;
    private @Nullable HealthChecks checks;
    /** As its source described it last. */
    private Endpoint endpoint;

    private int attempts;

    /**
     * @param health null where nothing ejects
     * @param breakers null where the cluster has no bounds
     */
    EndpointNode(EndpointPool pool, @Nullable EndpointHealth health, @Nullable Breakers breakers) {
        this.health = health;
        this.breakers = breakers;
        this.pool = pool;
        this.endpoint = pool.endpoint();
    }

    EndpointPool pool() {
        return pool;
    }

    @Nullable
    EndpointHealth health() {
        return health;
    }

    /** Has its checks begin on this loop. */
    void check(HealthChecks begun) {
        checks = begun;
        begun.start();
    }

    void endChecks() {
        if (checks != null) {
            checks.end();
            checks = null;
        }
    }

    /** The source describes the same place anew. */
    void update(Endpoint described) {
        endpoint = described;
    }

    /** An attempt begins; {@link #ended} follows. */
    void begin() {
        attempts++;
        if (health != null) {
            health.begins(this);
        }
    }

    @Override
    public String name() {
        return pool.endpoint().name();
    }

    @Override
    public void ended(Verdict verdict, long latencyNs) {
        attempts--;
        pool.stats().increment(EndpointMetric.OUTCOMES, verdict.label());
        if (health != null) {
            health.ended(this, verdict);
        }
        if (breakers != null) {
            breakers.leave();
        }
    }

    @Override
    public int load() {
        return attempts;
    }

    @Override
    public boolean isHealthy() {
        return health == null || health.isUsable();
    }

    @Override
    public int weight() {
        return endpoint.weight();
    }
}
