package io.remora.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The register of counters: a list of rows for each table. Thread safe: the owner of a table adds its rows and writes to
 * them, a scrape reads. A table without rows is not on the page, and nothing of it is loaded.
 *
 * <p>Bounds: one row per listener, per event loop, and per loop and endpoint that is in use, and at most one more per
 * endpoint; traffic adds none but where a template has clusters for the hosts that requests name, within its bound.
 */
public final class Stats {
    /** Tables of features, which stand in layers above, and have their places on the page here. */
    public static final String RATE_LIMITS = "rate-limits";

    public static final String GRPC_METHODS = "grpc-methods";

    public static final String MIRRORS = "mirrors";

    /** The tables' order on the page. A table that is not listed follows these, in the order of names. No class of a table is loaded for it. */
    private static final List<String> ORDER = List.of(
            ListenerStats.TABLE_NAME,
            EndpointStats.TABLE_NAME,
            LoopStats.TABLE_NAME,
            TlsStats.TABLE_NAME,
            ClusterStats.TABLE_NAME,
            AdmissionStats.TABLE_NAME,
            RATE_LIMITS,
            NamingStats.TABLE_NAME,
            HostStats.TABLE_NAME,
            EngineStats.TABLE_NAME,
            AnnounceStats.TABLE_NAME,
            ProxyHeaderStats.TABLE_NAME,
            Http2Stats.TABLE_NAME,
            DetectStats.TABLE_NAME,
            GrpcStats.TABLE_NAME,
            GRPC_METHODS,
            MIRRORS,
            BackendHttp2Stats.TABLE_NAME,
            TraceStats.TABLE_NAME);

    private final Map<String, List<Counts<?>>> tables = new ConcurrentHashMap<>();
    private final EndpointRegister endpoints = new EndpointRegister();
    /** Receiver of the sidecar's changes of state; null while nothing records them. */
    private volatile @Nullable ChangeListener changes;

    /** Returns the receiver of changes of state, null while nothing records them. */
    public @Nullable ChangeListener changes() {
        return changes;
    }

    /** Sets the receiver of changes of state, null for none. */
    public void changes(@Nullable ChangeListener receiver) {
        changes = receiver;
    }

    /**
     * Adds a row to its table. A row that may share its series continues the one that is there.
     *
     * @return the row to count in
     */
    @SuppressWarnings("unchecked") // a table's rows are of one class
    public synchronized <S extends StatsRow> S add(S row) {
        Counts<?> counts = (Counts<?>) row;
        List<Counts<?>> rows = table(counts.table());
        for (Counts<?> known : rows) {
            if (known.continuesAs(counts)) {
                known.joined();
                return (S) known;
            }
        }
        rows.add(counts);
        return row;
    }

    /** Removes a row, with the last that counts there. */
    public synchronized void remove(StatsRow row) {
        Counts<?> gone = (Counts<?>) row;
        if (gone.leave()) {
            table(gone.table()).remove(gone);
        }
    }

    private List<Counts<?>> table(String name) {
        List<Counts<?>> rows = tables.get(name);
        if (rows == null) {
            rows = new CopyOnWriteArrayList<>();
            tables.put(name, rows);
        }
        return rows;
    }

    public EndpointStats add(EndpointStats stats) {
        endpoints.add(stats);
        return stats;
    }

    /**
     * Ends one event loop's counts of an endpoint, when the last of the loop's connections to it has closed; later
     * counts are lost.
     *
     * <p>The series of an endpoint end with it, and start at 0 if it comes back: a series for every address that was
     * ever seen would grow without bound. They end all at once, when the last loop releases it. Until then they keep
     * what the other loops have counted, because a counter that falls would pass for a restart, and what is left of it
     * for new events.
     */
    public void remove(EndpointStats gone) {
        endpoints.remove(gone);
    }

    /** Removes the rows of a listener whose second label has none of these values. */
    public synchronized void keepOnly(String table, String listener, Set<String> kept) {
        table(table).removeIf(row -> row.scope()[0].equals(listener) && !kept.contains(row.scope()[1]));
    }

    /** Removes all rows of a listener, once no configuration and no connection has it any longer. */
    public synchronized void removeListener(String name) {
        for (List<Counts<?>> rows : tables.values()) {
            rows.removeIf(row -> row.isOfListener() && row.scope()[0].equals(name));
        }
    }

    /** Returns the rows that a configuration makes, of listeners and of traces, for {@link #endAllBut}. */
    public synchronized Set<Counts<?>> counted() {
        Set<Counts<?>> all = new HashSet<>();
        for (List<Counts<?>> rows : tables.values()) {
            for (Counts<?> row : rows) {
                if (row.isOfConfiguration()) {
                    all.add(row);
                }
            }
        }
        return all;
    }

    /** Removes the rows that were added since, as the configuration is not taken. A cluster removes its own. */
    public synchronized void endAllBut(Set<Counts<?>> before) {
        for (List<Counts<?>> rows : tables.values()) {
            rows.removeIf(row -> row.isOfConfiguration() && !before.contains(row));
        }
    }

    /** Returns the names of all tables, in the order of the page. */
    List<String> tables() {
        List<String> others = new ArrayList<>();
        for (String name : tables.keySet()) {
            if (!ORDER.contains(name)) {
                others.add(name);
            }
        }
        Collections.sort(others);
        List<String> all = new ArrayList<>(ORDER);
        all.addAll(others);
        return all;
    }

    /** Returns the rows of a table, whose class the caller knows; none where there are none. */
    @SuppressWarnings("unchecked") // each table has rows of one class
    public <S extends StatsRow> List<S> rows(String table) {
        return (List<S>) (List<?>)
                (table.equals(EndpointStats.TABLE_NAME) ? endpoints.list() : tables.getOrDefault(table, List.of()));
    }

    public List<ListenerStats> listeners() {
        return rows(ListenerStats.TABLE_NAME);
    }

    /** Returns the endpoints as they are now; none is half removed. */
    public List<EndpointStats> endpoints() {
        return endpoints.list();
    }

    public List<LoopStats> loops() {
        return rows(LoopStats.TABLE_NAME);
    }
}
