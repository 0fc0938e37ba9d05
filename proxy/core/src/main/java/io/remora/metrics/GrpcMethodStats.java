package io.remora.metrics;

import java.util.List;

/**
 * What is counted of the calls of one method, on all event loops.
 *
 * <p>Thread safe: to count takes no lock.
 */
public final class GrpcMethodStats extends SharedCounts<GrpcMethodMetric> {
    private static final GrpcMethodMetric[] TABLE = GrpcMethodMetric.values();

    /**
     * @param statuses that a call may come to
     */
    public GrpcMethodStats(String listener, String method, String... statuses) {
        super(TABLE, new String[] {listener, method}, statuses);
    }

    /** As {@link SharedCounts} says. It is declared here so that a sidecar without any does not load this class. */
    static GrpcMethodStats join(List<GrpcMethodStats> all, GrpcMethodStats stats) {
        return SharedCounts.join(all, stats);
    }

    /** A call has come to this status. */
    public void ended(String status) {
        incrementShared(GrpcMethodMetric.CALLS, status);
    }
}
