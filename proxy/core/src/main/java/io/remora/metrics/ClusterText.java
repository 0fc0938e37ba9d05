package io.remora.metrics;

import java.util.List;

/** What was counted for a cluster's endpoints, for a person to read. Pure functions. */
public final class ClusterText {
    private ClusterText() {}

    /** A line for each endpoint of the cluster. */
    public static void append(StringBuilder out, String cluster, List<EndpointStats> all) {
        for (Totals.Row row : Totals.of(all).rows()) {
            String[] scope = row.one.scope();
            if (scope[0].equals(cluster)) {
                append(out, scope[1], row);
            }
        }
    }

    private static void append(StringBuilder out, String endpoint, Totals.Row row) {
        out.append("  ").append(endpoint);
        append(out, "open", row.value(EndpointMetric.OPENED) - row.value(EndpointMetric.CLOSED));
        append(out, "idle", row.value(EndpointMetric.IDLE));
        append(out, "active", row.value(EndpointMetric.ACTIVE));
        append(out, "exchanges", row.value(EndpointMetric.EXCHANGES));
        append(out, "connects", row.value(EndpointMetric.CONNECTS));
        append(out, "connect_failures", row.value(EndpointMetric.CONNECT_FAILURES));
        append(out, "reused", row.value(EndpointMetric.REUSED));
        append(out, "pool_exhausted", row.value(EndpointMetric.POOL_EXHAUSTED));
        out.append('\n');
    }

    private static void append(StringBuilder out, String what, long number) {
        out.append(' ').append(what).append('=').append(number);
    }
}
