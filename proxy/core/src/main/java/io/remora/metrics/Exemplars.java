package io.remora.metrics;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last exchanges of a listener of which a trace was recorded on one event loop: one for each bucket of its histograms. Loaded only where
 * traces are recorded.
 *
 * <p>Thread safe: the loop writes, a scrape reads. Bounds: {@link #MOST_BYTES}.
 */
public final class Exemplars {
    private static final int BUCKETS = PrometheusText.BUCKETS + 1;
    private static final ListenerMetric[] LINES = {
        ListenerMetric.PROXY_TIME, ListenerMetric.BACKEND_TIME, ListenerMetric.TOTAL_TIME,
    };
    /** An exemplar, its place, and room. */
    private static final int BYTES_OF_ONE = 64;

    /** The bytes of heap that it takes when every bucket has an exemplar. */
    public static final int MOST_BYTES = 3 * BUCKETS * BYTES_OF_ONE;

    private final AtomicReferenceArray<Exemplar> last = new AtomicReferenceArray<>(LINES.length * BUCKETS);

    /** One exchange. Immutable. */
    static final class Exemplar {
        final long traceHigh;
        final long traceLow;
        final long durationNs;
        final long atMs;

        Exemplar(long traceHigh, long traceLow, long durationNs, long atMs) {
            this.traceHigh = traceHigh;
            this.traceLow = traceLow;
            this.durationNs = durationNs;
            this.atMs = atMs;
        }
    }

    private static int place(Metric line, int bucket) {
        for (int i = 0; i < LINES.length; i++) {
            if (LINES[i] == line) {
                return i * BUCKETS + bucket;
            }
        }
        return -1;
    }

    /** Keeps an exchange's duration and trace as an exemplar. Called on the loop. */
    public void keep(ListenerMetric line, long traceHigh, long traceLow, long durationNs, long atMs) {
        long recordedNs = Math.max(0, Math.min(durationNs, LatencyRecorder.HIGHEST_NS));
        int bucket = 0;
        while (bucket < PrometheusText.BUCKETS && recordedNs > PrometheusText.BOUNDS_NS[bucket]) {
            bucket++;
        }
        last.lazySet(place(line, bucket), new Exemplar(traceHigh, traceLow, recordedNs, atMs));
    }

    /** The last one of the bucket, null for none. */
    @Nullable
    Exemplar last(Metric line, int bucket) {
        int place = place(line, bucket);
        return place < 0 ? null : last.get(place);
    }
}
