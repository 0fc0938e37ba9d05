package io.remora.serving;

import io.netty.util.internal.PlatformDependent;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import java.util.List;

/**
 * Peaks of traffic and memory of the last {@value #HOURS} hours in which anybody was served.
 *
 * <p>Thread safe: the watch of the memory adds what it sees, the admin listener reads. Cost: {@value #HOURS} rows of {@value #COLUMNS}
 * integers, and a sum over the listeners at each look of the watch; nothing while the watch rests.
 */
public final class Peaks {
    /** Rows that are kept. */
    public static final int HOURS = 24;

    /** Columns of a row: the hour since 1970, and a peak each, bytes in KiB. */
    static final int COLUMNS = 8;

    private static final int HOUR = 0;
    private static final int RATE = 1;
    private static final int CONNECTIONS = 2;
    private static final int EXCHANGES = 3;
    private static final int USAGE = 4;
    private static final int HEAP = 5;
    private static final int DIRECT = 6;
    private static final int LIMIT = 7;
    private static final String[] NAMES = {
        "hour", "rate", "connections", "exchanges", "usage_bytes", "heap_bytes", "direct_bytes", "limit_bytes"
    };

    private static final long HOUR_MS = 3_600_000;
    private static final long SECOND_NS = 1_000_000_000;
    /** Time since a look from which on the watch has rested, and begun again a second ago. */
    private static final long RESTED_NS = 3 * SECOND_NS;

    private final Stats stats;
    private final int[] table = new int[HOURS * COLUMNS];
    /** Offset of the row of the present hour; negative before the first look. */
    private int row = -1;

    private long started;
    private long ratedNs;
    private long heapBytes;

    Peaks(Stats stats) {
        this.stats = stats;
    }

    /**
     * Adds a look.
     *
     * @param usageBytes that the kernel charges, negative where it does not tell
     * @param limitBytes 0 without a limit
     */
    synchronized void look(long nowMs, long nowNs, long usageBytes, long limitBytes) {
        int hour = (int) (nowMs / HOUR_MS);
        if (row < 0 || table[row + HOUR] != hour) {
            row = row < 0 ? 0 : (row + COLUMNS) % table.length;
            for (int i = 0; i < COLUMNS; i++) {
                table[row + i] = 0;
            }
            table[row + HOUR] = hour;
        }
        count(nowNs);
        peak(USAGE, usageBytes >> 10);
        peak(LIMIT, limitBytes >> 10);
        peak(DIRECT, PlatformDependent.usedDirectMemory() >> 10);
        Runtime runtime = Runtime.getRuntime();
        long nowBytes = runtime.totalMemory() - runtime.freeMemory();
        if (nowBytes < heapBytes) {
            // a collection has come between, and this is at least what it has left
            peak(HEAP, nowBytes >> 10);
        }
        heapBytes = nowBytes;
    }

    private void count(long nowNs) {
        long allStarted = 0;
        long connections = 0;
        long exchanges = 0;
        List<ListenerStats> listeners = stats.listeners();
        for (int i = 0; i < listeners.size(); i++) {
            ListenerStats one = listeners.get(i);
            long begun = one.value(ListenerMetric.EXCHANGES_STARTED);
            allStarted += begun;
            exchanges += begun - one.value(ListenerMetric.EXCHANGES_FINISHED);
            connections += one.value(ListenerMetric.FRONTEND_ACCEPTED) - one.value(ListenerMetric.FRONTEND_CLOSED);
        }
        peak(CONNECTIONS, connections);
        peak(EXCHANGES, exchanges);
        long sinceNs = nowNs - ratedNs;
        // under pressure looks are frequent, and a rate is of a second
        if (sinceNs >= SECOND_NS || ratedNs == 0) {
            long overNs = sinceNs > RESTED_NS || ratedNs == 0 ? SECOND_NS : sinceNs;
            peak(RATE, (allStarted - started) * SECOND_NS / overNs);
            ratedNs = nowNs;
            started = allStarted;
        }
    }

    private void peak(int column, long value) {
        table[row + column] = (int) Math.max(table[row + column], Math.min(value, Integer.MAX_VALUE));
    }

    /** Appends the rows, the oldest first, with a line of names above them. */
    public synchronized void append(StringBuilder out) {
        for (int i = 0; i < COLUMNS; i++) {
            out.append(i == 0 ? "" : " ").append(NAMES[i]);
        }
        out.append('\n');
        for (int i = 1; row >= 0 && i <= HOURS; i++) {
            int at = (row + i * COLUMNS) % table.length;
            if (table[at + HOUR] > 0) {
                appendRow(out, at);
            }
        }
    }

    private void appendRow(StringBuilder out, int at) {
        // in seconds since 1970, like the times of metrics
        out.append(table[at + HOUR] * (HOUR_MS / 1_000));
        for (int i = 1; i < COLUMNS; i++) {
            long value = table[at + i];
            out.append(' ').append(i >= USAGE ? value << 10 : value);
        }
        out.append('\n');
    }
}
