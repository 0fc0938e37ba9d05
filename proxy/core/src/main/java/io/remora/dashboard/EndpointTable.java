package io.remora.dashboard;

import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.EndpointView;
import io.remora.metrics.NamingStats;
import io.remora.metrics.Stats;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tables of endpoints, with their states and reasons, and of their sources; and the numbers of rows that are left
 * out.
 *
 * <p>Owner: the admin thread. Bounds: {@value #SHOWN} endpoints, those out of use first. Where there are more than
 * {@value #MANY} counts of endpoints, it looks for them every {@value #CHOICE_READINGS} readings only.
 */
final class EndpointTable {
    private static final int SHOWN = 64;
    private static final int MANY = 256;
    private static final int CHOICE_READINGS = 10 / LivePage.PERIOD;
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final String IN_USE = "in-use";
    private static final String[] SOURCE = {"n", "src", "st", "known", "why"};
    /** Endpoints that are not shown, routes that are not, and endpoints that are shown without figures of exchanges. */
    private static final String[] REST = {"more", "routes", "bare"};

    private final Stats stats;
    /** The counts of the endpoints that are shown, one for each event loop. */
    private Map<String, List<EndpointStats>> shown = new LinkedHashMap<>();

    private int more;
    private int readings;

    EndpointTable(Stats stats) {
        this.stats = stats;
    }

    /** Reads all of it. Order: after the traffic was read. */
    void read(LiveRows rows, TrafficTables traffic) {
        List<EndpointStats> all = stats.endpoints();
        if (all.size() <= MANY || readings % CHOICE_READINGS == 0) {
            choose(all);
        }
        readings++;
        int bare = 0;
        for (List<EndpointStats> loops : shown.values()) {
            EndpointStats one = loops.get(0);
            LiveRow row = rows.row('e', key(one), Traffic.NAMES);
            row.putText("in", one.cluster);
            row.putText("n", one.endpoint);
            put(row, loops);
            bare += traffic.putEndpoint(row, one.cluster, one.endpoint) ? 1 : 0;
        }
        LiveRow rest = rows.row('m', "", REST);
        rest.put("more", more);
        rest.put("routes", traffic.routesLeftOut());
        rest.put("bare", bare);
        for (NamingStats source : stats.<NamingStats>rows(NamingStats.TABLE_NAME)) {
            LiveRow row = rows.row('s', source.cluster, SOURCE);
            row.putText("n", source.cluster);
            row.putText("src", source.source);
            row.putText("st", source.state());
            row.put("known", source.endpoints());
            row.putText("why", source.problem().isEmpty() ? null : LastFailures.cut(source.problem()));
        }
    }

    private static String key(EndpointStats one) {
        return one.cluster + '\n' + one.endpoint;
    }

    private void choose(List<EndpointStats> all) {
        Map<String, List<EndpointStats>> chosen = new LinkedHashMap<>();
        Set<String> names = new HashSet<>();
        for (EndpointStats one : all) {
            names.add(key(one));
            if (chosen.size() < SHOWN && !state(one.view()).equals(IN_USE)) {
                chosen.putIfAbsent(key(one), new ArrayList<>(1));
            }
        }
        for (EndpointStats one : all) {
            if (chosen.size() < SHOWN) {
                chosen.putIfAbsent(key(one), new ArrayList<>(1));
            }
            List<EndpointStats> loops = chosen.get(key(one));
            if (loops != null) {
                loops.add(one);
            }
        }
        shown = chosen;
        more = names.size() - chosen.size();
    }

    private static String state(@Nullable EndpointView view) {
        String state = view == null ? "" : view.known().state();
        return state.isEmpty() ? IN_USE : state;
    }

    private static void put(LiveRow row, List<EndpointStats> loops) {
        long open = 0;
        long exchanges = 0;
        EndpointView view = null;
        for (EndpointStats loop : loops) {
            // what ends is read before what begins
            open -= loop.value(EndpointMetric.CLOSED);
            open += loop.value(EndpointMetric.OPENED);
            exchanges += loop.value(EndpointMetric.EXCHANGES);
            view = view == null ? loop.view() : view;
        }
        row.put("op", open);
        row.put("fl", exchanges);
        if (view == null) {
            row.putText("st", IN_USE);
            return;
        }
        // the state is the same on all event loops
        EndpointView.Known known = view.known();
        row.putText("st", known.state().isEmpty() ? IN_USE : known.state());
        row.putText("why", known.reason().isEmpty() ? null : known.reason());
        // rounded up, so that a time to come is not there yet
        row.putKnown("ret", known.returnsNs() < 0 ? -1 : (known.returnsNs() + NS_PER_SECOND - 1) / NS_PER_SECOND);
    }
}
