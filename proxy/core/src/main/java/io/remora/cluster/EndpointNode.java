package io.remora.cluster;

import io.remora.balance.Node;
import io.remora.metrics.EndpointMetric;
import io.remora.naming.Endpoint;
import io.remora.pool.EndpointPool;
import io.remora.stream.Target;
import io.remora.stream.Verdict;

/**
 * One endpoint on one event loop: what the balancer sees of it, and what its attempts tell it.
 *
 * <p>Owner: the event loop.
 */
final class EndpointNode implements Node, Target {
    private final EndpointPool pool;
    /** As its source described it last. */
    private Endpoint endpoint;

    private int attempts;

    EndpointNode(EndpointPool pool) {
        this.pool = pool;
        this.endpoint = pool.endpoint();
    }

    EndpointPool pool() {
        return pool;
    }

    /** The source describes the same place anew. */
    void update(Endpoint described) {
        endpoint = described;
        pool.stats().describe(described.weight(), described.metadata());
    }

    /** An attempt begins; {@link #ended} follows. */
    void begin() {
        attempts++;
    }

    @Override
    public String name() {
        return pool.endpoint().name();
    }

    @Override
    public void ended(Verdict verdict, long latencyNs) {
        attempts--;
        pool.stats().increment(EndpointMetric.OUTCOMES, verdict.label());
    }

    @Override
    public int load() {
        return attempts;
    }

    /** Nothing ejects an endpoint of this balancer. */
    @Override
    public boolean isHealthy() {
        return true;
    }

    @Override
    public int weight() {
        return endpoint.weight();
    }
}
