package io.remora.engine;

import io.remora.metrics.ClusterMetric;
import io.remora.metrics.ClusterStats;

/**
 * Bounds the retries and hedges at one cluster: the budget, and how many are in flight. All event loops share it,
 * because the endpoints bear the sum. Loaded only where a route has either.
 *
 * <p>Thread safe. Cost: an uncontended lock a request.
 */
public final class RetryGate {
    private final ClusterStats stats;
    private final int maxInFlight;
    private final RetryBudget budget;
    private int inFlight;

    /**
     * @param maxInFlight retries and hedges at once
     */
    public RetryGate(ClusterStats stats, int maxInFlight, long nowNs) {
        this.stats = stats;
        this.maxInFlight = maxInFlight;
        this.budget = new RetryBudget(nowNs);
    }

    /** A request came that may be sent again if it fails. */
    public synchronized void request(long nowNs) {
        budget.request(nowNs);
    }

    /**
     * Admits a retry if there is room, which owes {@link #ended}.
     *
     * @param reason one of those that {@link ClusterMetric#RETRIES} counts by
     */
    public synchronized boolean enter(String reason, long nowNs) {
        if (inFlight >= maxInFlight) {
            stats.count(ClusterMetric.RETRIES_REFUSED, "breaker");
            return false;
        }
        if (!budget.take(nowNs)) {
            stats.count(ClusterMetric.RETRIES_REFUSED, "budget");
            return false;
        }
        inFlight++;
        stats.count(ClusterMetric.RETRIES, reason);
        return true;
    }

    /** Returns whether a retry or a hedge is under way, or waits for its time. */
    public synchronized boolean isInUse() {
        return inFlight > 0;
    }

    /** Counts the end of a retry, with any result. */
    public synchronized void ended() {
        inFlight--;
    }

    /** Admits a hedge out of the same budget, which owes {@link #hedgeEnded}. */
    public synchronized boolean enterHedge(long nowNs) {
        if (inFlight >= maxInFlight || !budget.take(nowNs)) {
            stats.count(ClusterMetric.HEDGES, "refused");
            return false;
        }
        inFlight++;
        return true;
    }

    /**
     * A hedge is over.
     *
     * @param won whether its endpoint was the first to answer
     */
    public synchronized void hedgeEnded(boolean won) {
        inFlight--;
        stats.count(ClusterMetric.HEDGES, won ? "won" : "lost");
    }

    /** A retry was due that cannot be, for one of the reasons that {@link ClusterMetric#RETRIES_REFUSED} counts by. */
    public void refused(String why) {
        stats.count(ClusterMetric.RETRIES_REFUSED, why);
    }
}
