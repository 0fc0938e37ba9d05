package io.remora.metrics;

/**
 * What is counted of the calls of one method, on all event loops.
 *
 * <p>Thread safe: to count takes no lock.
 */
public final class GrpcMethodStats extends SharedCounts<GrpcMethodMetric> {
    static final String TABLE_NAME = "grpc-methods";
    private static final GrpcMethodMetric[] TABLE = GrpcMethodMetric.values();

    /**
     * @param statuses that a call may come to
     */
    public GrpcMethodStats(String listener, String method, String... statuses) {
        super(TABLE, new String[] {listener, method}, statuses);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** A call has come to this status. */
    public void ended(String status) {
        incrementShared(GrpcMethodMetric.CALLS, status);
    }
}
