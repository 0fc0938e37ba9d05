package io.remora.metrics;

/** The counts of one event loop for one listener that speaks HTTP/2. */
public final class Http2Stats extends Counts<Http2Metric> {
    static final String TABLE_NAME = "http2";
    private static final Http2Metric[] TABLE = Http2Metric.values();

    /**
     * @param reasons for which a connection is ended as abuse
     */
    public Http2Stats(String listener, String... reasons) {
        super(TABLE, new String[] {listener}, reasons);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }
}
