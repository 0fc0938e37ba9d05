package io.remora.finagle;

import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request, for logs, metrics and filters. Finagle picks the endpoint, and learns the attempt's result
 * by itself, unless the attempt is cancelled.
 *
 * <p>Owner: the exchange's event loop.
 */
final class Picked implements Target {
    private final String name;
    private final @Nullable EndpointStats counts;
    private @Nullable Verdict verdict;

    /**
     * @param name of the endpoint, or of the cluster as long as there is none
     * @param counts null as long as there is none
     */
    Picked(String name, @Nullable EndpointStats counts) {
        this.name = name;
        this.counts = counts;
    }

    /** Returns the same target, for one request. */
    Picked forOne() {
        return new Picked(name, counts);
    }

    @Override
    public String name() {
        return name;
    }

    /** Returns whether the attempt speaks against the endpoint; false before it has ended. */
    boolean hasFailed() {
        return verdict == Verdict.FAILURE;
    }

    @Override
    public void ended(Verdict told, long latencyNs) {
        verdict = told;
        if (counts != null) {
            counts.increment(EndpointMetric.OUTCOMES, told.label());
        }
    }
}
