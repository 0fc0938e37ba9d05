package io.remora.dashboard;

import io.remora.metrics.ExchangeWatch;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.RoughTimes;
import io.remora.metrics.Stats;
import io.remora.metrics.WatchedNames;
import io.remora.metrics.WatchedRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables of listeners and routes, and the traffic of endpoints. It has exchanges watched as long as there is one.
 *
 * <p>Owner: the admin thread, which waits for no event loop.
 */
final class TrafficTables {
    private final Stats stats;
    private final LastFailures failures;
    private final WatchedNames names;
    /** Traffic by the letter of its table and its names. */
    private final Map<String, Traffic> traffic = new HashMap<>();

    private final Overall overall = new Overall();
    private long lastNs;
    private final int[] proxy = RoughTimes.newSum();
    private final int[] total = RoughTimes.newSum();

    TrafficTables(Stats stats, LastFailures failures, long nowNs) {
        lastNs = nowNs;
        this.stats = stats;
        this.failures = failures;
        names = new WatchedNames(Math.max(1, stats.loops().size()));
    }

    /** Reads all watches, and adds those that are missing, as a reload may add a listener. */
    void read(LiveRows rows, long nowNs) {
        for (Traffic each : traffic.values()) {
            each.begin();
        }
        List<WatchedRow> all = new ArrayList<>();
        Map<String, long[]> gauges = new LinkedHashMap<>();
        long inFlight = 0;
        for (ListenerStats loop : stats.listeners()) {
            ExchangeWatch watch = watched(loop);
            watch.takeFailures(failures);
            all.add(watch.all());
            traffic('l', loop.listener).add(watch.all());
            for (WatchedRow route : watch.routes()) {
                traffic('r', loop.listener + '\n' + route.name).add(route);
            }
            for (WatchedRow endpoint : watch.endpoints()) {
                traffic('e', endpoint.name + '\n' + endpoint.endpoint).add(endpoint);
            }
            long[] both = gauges.get(loop.listener);
            if (both == null) {
                both = new long[2];
                gauges.put(loop.listener, both);
            }
            // what ends is read before what begins
            both[0] -= loop.value(ListenerMetric.EXCHANGES_FINISHED);
            both[0] += loop.value(ListenerMetric.EXCHANGES_STARTED);
            both[1] -= loop.value(ListenerMetric.FRONTEND_CLOSED);
            both[1] += loop.value(ListenerMetric.FRONTEND_ACCEPTED);
        }
        sum(nowNs);
        for (Map.Entry<String, long[]> each : gauges.entrySet()) {
            LiveRow row = rows.row('l', each.getKey(), Traffic.NAMES);
            row.putText("n", each.getKey());
            row.put("fl", each.getValue()[0]);
            row.put("op", each.getValue()[1]);
            traffic('l', each.getKey()).put(row, proxy, total);
            inFlight += each.getValue()[0];
        }
        overall.put(rows.row('a', "", Overall.NAMES), all, inFlight, nowNs);
        putRoutes(rows);
    }

    private static String listener(String key) {
        return key.substring(1, key.indexOf('\n'));
    }

    private void putRoutes(LiveRows rows) {
        for (Map.Entry<String, Traffic> each : traffic.entrySet()) {
            String key = each.getKey();
            if (key.charAt(0) == 'r') {
                LiveRow row = rows.row('r', key, Traffic.NAMES);
                row.putText("in", listener(key));
                row.putText("n", key.substring(key.indexOf('\n') + 1));
                each.getValue().put(row, proxy, total);
            }
        }
    }

    /** Returns the number of routes that have taken a request and have no row. */
    int routesLeftOut() {
        return names.routesLeftOut();
    }

    /**
     * Puts the traffic of an endpoint that the table of endpoints shows. Order: after {@link #read}.
     *
     * @return whether there is no room for it
     */
    boolean putEndpoint(LiveRow row, String cluster, String endpoint) {
        if (names.isLeftOut(cluster, endpoint)) {
            Traffic.putNothing(row);
            return true;
        }
        Traffic known = traffic.get('e' + cluster + '\n' + endpoint);
        if (known != null) {
            known.put(row, proxy, total);
        }
        return false;
    }

    private Traffic traffic(char table, String names) {
        Traffic known = traffic.get(table + names);
        if (known == null) {
            known = new Traffic();
            traffic.put(table + names, known);
        }
        return known;
    }

    private void sum(long nowNs) {
        Iterator<Traffic> all = traffic.values().iterator();
        while (all.hasNext()) {
            Traffic each = all.next();
            if (each.isKnown()) {
                each.read(nowNs, lastNs);
            } else {
                // of a listener that a reload has taken away
                all.remove();
            }
        }
        lastNs = nowNs;
    }

    private ExchangeWatch watched(ListenerStats loop) {
        ExchangeWatch watch = loop.watch();
        if (watch == null) {
            watch = new ExchangeWatch(loop.listener, names);
            loop.watch(watch);
        }
        return watch;
    }

    /** Ends all watches. */
    void end() {
        for (ListenerStats loop : stats.listeners()) {
            loop.watch(null);
        }
    }
}
