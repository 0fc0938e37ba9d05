package io.remora.metrics;

/** The counts of one event loop for one listener that detects the protocol of its clients. */
public final class DetectStats extends Counts<DetectMetric> {
    static final String TABLE_NAME = "detections";
    public static final String HTTP1 = "http1";
    public static final String HTTP2 = "http2";
    /** TLS that the listener does not end. */
    public static final String TLS = "tls";
    /** Anything else that has said something. */
    public static final String TCP = "tcp";
    /** A connection that had said nothing when its time was over, and was passed on. */
    public static final String SILENT = "silent";
    /** A connection whose first line had not come to its end by then, and which was passed on. */
    public static final String UNFINISHED = "unfinished";
    /** A connection whose client ended its side before that, and which was passed on. */
    public static final String ENDED = "ended";
    /** A connection that was closed before that, by either side. */
    public static final String LOST = "lost";

    private static final DetectMetric[] TABLE = DetectMetric.values();
    private static final String[] NONE = {};

    public DetectStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Counts the result of a connection that was undecided. */
    public void decided(String result) {
        decrement(DetectMetric.UNDECIDED);
        increment(DetectMetric.CONNECTIONS, result);
    }

    /** Counts a connection whose protocol was known from the beginning. */
    public void agreed(String result) {
        increment(DetectMetric.CONNECTIONS, result);
    }
}
