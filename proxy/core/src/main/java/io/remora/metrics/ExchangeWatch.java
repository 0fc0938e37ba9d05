package io.remora.metrics;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one listener on one event loop by route and endpoint, and those that failed. There is one only while
 * somebody looks at the dashboard.
 *
 * <p>Owner: written by its event loop, read by the admin thread. Cost: to count is three rows. Bounds: the rows of all
 * watches are those of {@link WatchedNames}; exchanges beyond count for their listener alone. It keeps {@value #FAILURES}
 * failures that the reader has not taken, and drops others.
 */
public final class ExchangeWatch {
    /** A power of two, so that the places stay in order when the numbers wrap. */
    private static final int FAILURES = 8;

    private static final WatchedRow[] NONE = {};

    private final String listener;
    private final WatchedNames names;
    private final WatchedRow all = new WatchedRow("", "");
    private final Map<String, WatchedRow> routes = new HashMap<>();
    private final Map<String, Map<String, WatchedRow>> clusters = new HashMap<>();
    private volatile WatchedRow[] shownRoutes = NONE;
    private volatile WatchedRow[] shownEndpoints = NONE;

    private final WatchedFailure[] failures = new WatchedFailure[FAILURES];
    private final AtomicInteger failuresKept = new AtomicInteger();
    private final AtomicInteger failuresTaken = new AtomicInteger();

    /**
     * @param names of all watches together
     */
    public ExchangeWatch(String listener, WatchedNames names) {
        this.listener = listener;
        this.names = names;
    }

    // ---- the event loop

    /**
     * Counts an exchange that has ended.
     *
     * @param route empty for none, like {@code cluster} and {@code endpoint}
     */
    public void ended(String route, String cluster, String endpoint, boolean hasFailed, long proxyNs, long totalNs) {
        all.add(hasFailed, proxyNs, totalNs);
        if (!route.isEmpty()) {
            WatchedRow row = routes.get(route);
            add(row == null ? newRoute(route) : row, hasFailed, proxyNs, totalNs);
        }
        if (!endpoint.isEmpty()) {
            Map<String, WatchedRow> endpoints = clusters.get(cluster);
            WatchedRow row = endpoints == null ? null : endpoints.get(endpoint);
            add(row == null ? newEndpoint(cluster, endpoint) : row, hasFailed, proxyNs, totalNs);
        }
    }

    private static void add(@Nullable WatchedRow row, boolean hasFailed, long proxyNs, long totalNs) {
        if (row != null) {
            row.add(hasFailed, proxyNs, totalNs);
        }
    }

    private @Nullable WatchedRow newRoute(String route) {
        if (!names.hasRoute(listener, route)) {
            return null;
        }
        WatchedRow row = new WatchedRow(route, "");
        routes.put(route, row);
        shownRoutes = with(shownRoutes, row);
        return row;
    }

    private @Nullable WatchedRow newEndpoint(String cluster, String endpoint) {
        if (!names.hasEndpoint(listener, cluster, endpoint)) {
            return null;
        }
        WatchedRow row = new WatchedRow(cluster, endpoint);
        Map<String, WatchedRow> endpoints = clusters.get(cluster);
        if (endpoints == null) {
            endpoints = new HashMap<>();
            clusters.put(cluster, endpoints);
        }
        endpoints.put(endpoint, row);
        shownEndpoints = with(shownEndpoints, row);
        return row;
    }

    private static WatchedRow[] with(WatchedRow[] rows, WatchedRow one) {
        WatchedRow[] more = Arrays.copyOf(rows, rows.length + 1);
        more[rows.length] = one;
        return more;
    }

    /** Returns whether another failure is kept, so that the caller makes none in vain. */
    public boolean takesFailure() {
        return failuresKept.getPlain() - failuresTaken.get() < FAILURES;
    }

    /** Keeps a failure. Order: only after {@link #takesFailure}. */
    public void failed(WatchedFailure failure) {
        int kept = failuresKept.getPlain();
        failures[kept & FAILURES - 1] = failure;
        failuresKept.lazySet(kept + 1);
    }

    // ---- the reader

    /** Returns the listener's exchanges on this event loop. */
    public WatchedRow all() {
        return all;
    }

    /** Returns the rows by route; the caller does not write to the array. */
    public WatchedRow[] routes() {
        return shownRoutes;
    }

    /** Returns the rows by endpoint; the caller does not write to the array. */
    public WatchedRow[] endpoints() {
        return shownEndpoints;
    }

    /** Takes the failures that were kept since the last call. */
    public void takeFailures(Consumer<WatchedFailure> reader) {
        int kept = failuresKept.get();
        for (int at = failuresTaken.getPlain(); at != kept; at++) {
            reader.accept(failures[at & FAILURES - 1]);
        }
        failuresTaken.set(kept);
    }
}
