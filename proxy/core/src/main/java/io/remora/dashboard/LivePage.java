package io.remora.dashboard;

import io.remora.metrics.LatencyTotals;
import io.remora.metrics.RunState;
import io.remora.metrics.Stats;

/**
 * The numbers of the dashboard for its viewers: all of them once, then what has changed, as events (HTML Living Standard
 * 9.2, server-sent events) of one JSON object each.
 *
 * <p>The member {@code u} has the rows that changed, by identifier, each with the values that changed; {@code d} the
 * rows that are gone; {@code f} exchanges that failed; {@code t} the time in seconds since the epoch. The first event of
 * a viewer has {@code w}, the time in seconds at which the watch over exchanges began.
 *
 * <p>Owner: the admin thread, which waits for no event loop. Cost: some 250 KB with a few routes, and what the watches of
 * {@link Stats} take. Bounds: about 1 KB a second but for a viewer's first event.
 */
public final class LivePage {
    /** Seconds from one reading to the next. */
    public static final int PERIOD = 2;

    private static final long MS_PER_SECOND = 1_000;
    /** Readings from one that includes the slow figures to the next. The slow figures take most of the time. */
    private static final int SLOW_READINGS = 5;
    /** Seconds from one reading of the slow figures to the next. */
    static final int SLOW_PERIOD = SLOW_READINGS * PERIOD;
    /** Readings after which there are rates. */
    private static final int FIRST_READINGS = 2;
    /** The rows of slow figures alone. */
    private static final String SLOW_KINDS = "ojkg";

    private final LiveRows rows = new LiveRows();
    private final LastFailures failures = new LastFailures();
    private final TrafficTables traffic;
    private final EndpointTable endpoints;
    private final ProcessTables process;
    private final JvmTables jvm = new JvmTables();
    private final long sinceMs;
    private int readings;

    /** Begins to watch. */
    public LivePage(Stats stats, LatencyTotals totals, RunState state, long nowNs, long nowMs) {
        traffic = new TrafficTables(stats, failures, nowNs);
        endpoints = new EndpointTable(stats);
        process = new ProcessTables(stats, totals);
        sinceMs = nowMs;
        read(state, nowNs);
        rows.settle();
    }

    /** Reads the numbers. Every {@value #SLOW_READINGS} readings, these include those of the process, the JVM and the loops. */
    public void read(RunState state, long nowNs) {
        boolean slow = readings < FIRST_READINGS || readings % SLOW_READINGS == 0;
        readings++;
        rows.begin();
        process.read(rows, state);
        if (slow) {
            process.readSlow(rows, nowNs);
            jvm.read(rows, nowNs);
        } else {
            rows.keep(SLOW_KINDS);
        }
        traffic.read(rows, nowNs);
        endpoints.read(rows, traffic);
        rows.end();
    }

    /** Returns what viewers have by now, for another one. */
    public String whole(long nowMs) {
        StringBuilder out =
                head(nowMs).append("\"w\":").append(sinceMs / MS_PER_SECOND).append(',');
        rows.appendSent(out);
        failures.appendSent(out);
        return out.append("}\n\n").toString();
    }

    /** Returns what has changed, which viewers have from now on. */
    public String changes(long nowMs) {
        StringBuilder out = head(nowMs);
        // first, as the rows take what is left of an event
        failures.appendNew(out);
        rows.appendChanges(out);
        return out.append("}\n\n").toString();
    }

    private static StringBuilder head(long nowMs) {
        return new StringBuilder(1_024)
                .append("data: {\"t\":")
                .append(nowMs / MS_PER_SECOND)
                .append(',');
    }

    /** Ends the watch. */
    public void end() {
        traffic.end();
    }
}
