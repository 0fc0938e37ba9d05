package io.remora.metrics;

/**
 * The durations of the handshakes of one listener or one cluster, the full ones and those that resumed a session.
 *
 * <p>Owner: its {@link TlsStats}, under whose lock it is. Cost: half a kilobyte, as it counts by bucket; a {@link
 * LatencyRecorder} with its total takes more than a hundred times that.
 */
final class TlsTimes {
    private static final double NS_PER_SECOND = 1e9;

    private final long[] full = new long[PrometheusText.BUCKETS + 1];
    private final long[] resumed = new long[PrometheusText.BUCKETS + 1];
    private long fullNs;
    private long resumedNs;

    TlsTimes() {}

    private TlsTimes(TlsTimes of) {
        System.arraycopy(of.full, 0, full, 0, full.length);
        System.arraycopy(of.resumed, 0, resumed, 0, resumed.length);
        fullNs = of.fullNs;
        resumedNs = of.resumedNs;
    }

    TlsTimes copy() {
        return new TlsTimes(this);
    }

    void record(long durationNs, boolean isResumed) {
        int bucket = 0;
        while (bucket < PrometheusText.BUCKETS && durationNs > PrometheusText.BOUNDS_NS[bucket]) {
            bucket++;
        }
        (isResumed ? resumed : full)[bucket]++;
        fullNs += isResumed ? 0 : durationNs;
        resumedNs += isResumed ? durationNs : 0;
    }

    /** Writes the series of one listener or cluster. */
    void write(PrometheusText out, String[] scope) {
        write(out, scope, "false", full, fullNs);
        write(out, scope, "true", resumed, resumedNs);
    }

    private static void write(PrometheusText out, String[] scope, String isResumed, long[] counts, long sumNs) {
        String[] labels = {scope[0], scope[1], isResumed};
        long below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += counts[i];
            out.sampleOf(TlsTimeMetric.HANDSHAKE, "_bucket", labels)
                    .label("le", out.bound(i))
                    .value(below);
        }
        out.sampleOf(TlsTimeMetric.HANDSHAKE, "_sum", labels).value(sumNs / NS_PER_SECOND);
        out.sampleOf(TlsTimeMetric.HANDSHAKE, "_count", labels).value(below);
    }
}
