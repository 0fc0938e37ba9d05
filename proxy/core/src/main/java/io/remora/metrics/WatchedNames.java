package io.remora.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of routes and endpoints that have rows in the watches, and those that do not. A name has a row on each event
 * loop or on none, so that no sum lacks a part.
 *
 * <p>Thread safe: event loops ask it, and the admin thread reads. Bounds: {@value #ROWS} rows on all event loops, and of
 * each kind {@value #MOST_LEFT_OUT} names without a row; further ones are not counted.
 */
public final class WatchedNames {
    /** Rows of routes and endpoints on all event loops. */
    public static final int ROWS = 128;

    static final int MOST_LEFT_OUT = 1_000;

    private final int loops;
    private int rowsLeft;
    private final Set<String> withRow = ConcurrentHashMap.newKeySet();
    private final Set<String> routesLeftOut = ConcurrentHashMap.newKeySet();
    private final Set<String> endpointsLeftOut = ConcurrentHashMap.newKeySet();

    /**
     * @param loops event loops, each of which has a watch for each listener
     */
    public WatchedNames(int loops) {
        this(loops, ROWS);
    }

    WatchedNames(int loops, int rows) {
        this.loops = loops;
        this.rowsLeft = rows;
    }

    /** Returns whether a watch of the listener has a row for the route, and keeps the name. */
    boolean hasRoute(String listener, String route) {
        String name = listener + '\n' + route;
        return has(name, name, routesLeftOut);
    }

    /** Returns whether a watch of the listener has a row for the endpoint, and keeps the name. */
    boolean hasEndpoint(String listener, String cluster, String endpoint) {
        String name = endpoint(cluster, endpoint);
        return has(listener + '\n' + name, name, endpointsLeftOut);
    }

    private static String endpoint(String cluster, String endpoint) {
        return cluster + '\n' + endpoint;
    }

    private boolean has(String row, String name, Set<String> leftOut) {
        if (withRow.contains(row)) {
            return true;
        }
        // without a lock once it is full, as each exchange of such a name comes here
        return !leftOut.contains(name) && leftOut.size() < MOST_LEFT_OUT && take(row, name, leftOut);
    }

    private synchronized boolean take(String row, String name, Set<String> leftOut) {
        if (withRow.contains(row)) {
            return true;
        }
        if (rowsLeft < loops || leftOut.contains(name)) {
            leftOut.add(name);
            return false;
        }
        rowsLeft -= loops;
        withRow.add(row);
        return true;
    }

    /** Returns the number of routes that have taken a request and have no row. */
    public int routesLeftOut() {
        return routesLeftOut.size();
    }

    /** Returns whether exchanges of an endpoint do not count for it, be it of one listener only. */
    public boolean isLeftOut(String cluster, String endpoint) {
        return endpointsLeftOut.contains(endpoint(cluster, endpoint));
    }
}
