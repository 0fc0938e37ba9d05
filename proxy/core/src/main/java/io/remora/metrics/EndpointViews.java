package io.remora.metrics;

import org.jspecify.annotations.Nullable;

/**
 * Shows on the page of clusters what the event loops know of an endpoint in addition to its counts. Loaded only where
 * they know something.
 */
final class EndpointViews {
    private static final long SECOND_NS = 1_000_000_000L;

    private EndpointViews() {}

    /** The state is the same on all loops; the latency is the longest. */
    static void append(FieldLine line, Totals.Row of) {
        EndpointView.Known shown = null;
        int latencyUs = -1;
        for (Totals.@Nullable Row row = of; row != null; row = row.beside()) {
            EndpointView view = ((EndpointStats) row.one).view();
            if (view != null) {
                EndpointView.Known known = view.known();
                shown = shown == null ? known : shown;
                latencyUs = Math.max(latencyUs, known.latencyUs());
            }
        }
        if (latencyUs >= 0) {
            line.add("latency_us", latencyUs);
        }
        if (shown != null && !shown.state().isEmpty()) {
            line.add("state", shown.state()).add("reason", shown.reason());
            line.add("for_s", seconds(shown.stateNs())).add("returns_in_s", seconds(shown.returnsNs()));
        }
    }

    /** Returns seconds, rounded up, so that a time to come is not there yet. */
    private static long seconds(long ns) {
        return ns < 0 ? -1 : (ns + SECOND_NS - 1) / SECOND_NS;
    }
}
