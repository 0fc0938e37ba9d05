package io.remora.metrics;

import java.util.List;

/** What was counted for the endpoints, as text. Pure functions. */
public final class EndpointMetrics {
    private static final Metric[] COUNTS = {
        Metric.BACKEND_CONNECTS,
        Metric.BACKEND_CONNECT_FAILURES,
        Metric.BACKEND_OPENED,
        Metric.BACKEND_CLOSED,
        Metric.BACKEND_REUSED,
        Metric.BACKEND_IDLE,
        Metric.BACKEND_ACTIVE,
        Metric.BACKEND_EXCHANGES,
        Metric.POOL_EXHAUSTED,
    };

    private EndpointMetrics() {}

    static void write(PrometheusText out, List<EndpointStats> all) {
        sums(all).write(out, COUNTS, "cluster", "endpoint");
    }

    /** A line for each endpoint of the cluster. */
    public static void appendCluster(StringBuilder out, String cluster, List<EndpointStats> all) {
        for (Rows.Row row : sums(all).all()) {
            if (row.first.equals(cluster)) {
                append(out, row.second, row.sums);
            }
        }
    }

    private static void append(StringBuilder out, String endpoint, long[] sums) {
        out.append("  ").append(endpoint);
        out.append(" open=").append(sums[2] - sums[3]);
        out.append(" idle=").append(sums[5]);
        out.append(" active=").append(sums[6]);
        out.append(" exchanges=").append(sums[7]);
        out.append(" connects=").append(sums[0]);
        out.append(" connect_failures=").append(sums[1]);
        out.append(" reused=").append(sums[4]);
        out.append(" pool_exhausted=").append(sums[8]).append('\n');
    }

    private static Rows sums(List<EndpointStats> all) {
        Rows rows = new Rows(COUNTS.length);
        for (EndpointStats stats : all) {
            addCounts(stats, rows.row(stats.cluster, stats.endpoint).sums);
        }
        return rows;
    }

    /** In the order of {@link #COUNTS}. */
    private static void addCounts(EndpointStats stats, long[] sums) {
        long idle = stats.connectionsIdle.value();
        long closed = stats.connectionsClosed.value();
        long opened = stats.connectionsOpened.value();
        sums[0] += stats.connectsStarted.value();
        sums[1] += stats.connectsFailed.value();
        sums[2] += opened;
        sums[3] += closed;
        sums[4] += stats.connectionsReused.value();
        sums[5] += idle;
        // The loop goes on counting between two reads: a connection may leave the pool and close within them.
        sums[6] += Math.max(0, opened - closed - idle);
        sums[7] += stats.exchangesActive.value();
        sums[8] += stats.poolExhausted.value();
    }
}
