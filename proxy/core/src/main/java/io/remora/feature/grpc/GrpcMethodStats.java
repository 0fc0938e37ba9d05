package io.remora.feature.grpc;

import io.remora.grpc.GrpcCounts;
import io.remora.metrics.SharedCounts;
import io.remora.metrics.Stats;

/**
 * Counts of the calls of one method, on all event loops.
 *
 * <p>Thread safe: to count takes no lock.
 */
final class GrpcMethodStats extends SharedCounts<GrpcMethodMetric> implements GrpcCounts {
    private static final GrpcMethodMetric[] TABLE = GrpcMethodMetric.values();

    /**
     * @param statuses that a call may come to
     */
    GrpcMethodStats(String listener, String method, String... statuses) {
        super(TABLE, new String[] {listener, method}, statuses);
    }

    @Override
    public String table() {
        return Stats.GRPC_METHODS;
    }

    @Override
    public void ended(String status) {
        incrementShared(GrpcMethodMetric.CALLS, status);
    }
}
