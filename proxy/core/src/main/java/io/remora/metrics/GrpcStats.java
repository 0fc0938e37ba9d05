package io.remora.metrics;

/** The counts of one event loop for the gRPC calls of one listener. */
public final class GrpcStats extends Counts<GrpcMetric> {
    static final String TABLE_NAME = "grpc";
    private static final GrpcMetric[] TABLE = GrpcMetric.values();

    /**
     * @param statuses that a call may come to
     */
    public GrpcStats(String listener, String... statuses) {
        super(TABLE, new String[] {listener}, statuses);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }
}
