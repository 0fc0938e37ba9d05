package io.remora.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the event loops know of each endpoint beside what they count, on the page of clusters. Loaded only where they know something.
 *
 * <p>Owner: one page.
 */
final class EndpointViews {
    private static final long SECOND_NS = 1_000_000_000L;

    /** By cluster and endpoint, of each loop. */
    private final Map<List<String>, List<EndpointView>> views = new HashMap<>();

    EndpointViews(Stats stats) {
        for (EndpointStats one : stats.endpoints()) {
            EndpointView view = one.view();
            if (view != null) {
                views.computeIfAbsent(key(one), key -> new ArrayList<>(1)).add(view);
            }
        }
    }

    private static List<String> key(EndpointStats of) {
        return List.of(of.cluster, of.endpoint);
    }

    /** The state is the same on all loops; the latency is the longest. */
    void append(FieldLine line, EndpointStats of) {
        EndpointView.Known shown = null;
        int latencyUs = -1;
        for (EndpointView view : views.getOrDefault(key(of), List.of())) {
            EndpointView.Known known = view.known();
            shown = shown == null ? known : shown;
            latencyUs = Math.max(latencyUs, known.latencyUs());
        }
        if (latencyUs >= 0) {
            line.add("latency_us", latencyUs);
        }
        if (shown != null && !shown.state().isEmpty()) {
            line.add("state", shown.state()).add("reason", shown.reason());
            line.add("for_s", seconds(shown.stateNs())).add("returns_in_s", seconds(shown.returnsNs()));
        }
    }

    /** Rounded up, so that what is to come is not there yet. */
    private static long seconds(long ns) {
        return ns < 0 ? -1 : (ns + SECOND_NS - 1) / SECOND_NS;
    }
}
