package io.remora.compilelog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a time line, each of one or more seconds.
 *
 * <p>Bounds: 900 columns.
 */
final class TimelineColumns {
    static final int MAX_COLUMNS = 900;
    private static final double MS = 1_000;

    /** The seconds since the start of the VM at which the first column begins. */
    final long start;

    /** The seconds of a column. */
    final double width;

    final int count;
    private final @Nullable Second[] totals;
    private final long[] p99Ns;
    private final long[] maxNs;

    TimelineColumns(CompileReport report) {
        List<Second> seconds = report.all().timeline.sorted();
        LatencyReport latency = report.latency();
        long first = seconds.isEmpty() ? 0 : seconds.get(0).start;
        double last = seconds.isEmpty()
                ? 1
                : seconds.get(seconds.size() - 1).start
                        + (double) report.all().timeline.width();
        start = first;
        double span = last - first;
        count = (int) Math.max(1, Math.min(MAX_COLUMNS, span));
        width = span / count;
        totals = new Second[count];
        p99Ns = new long[count];
        maxNs = new long[count];
        for (Second second : seconds) {
            total(column((double) second.start)).add(second);
        }
        if (latency != null) {
            latency.points.forEach(this::add);
        }
    }

    private Second total(int column) {
        Second total = totals[column];
        if (total == null) {
            total = new Second(second(column));
            totals[column] = total;
        }
        return total;
    }

    private void add(LatencyPoint point) {
        int from = column(point.fromMs() / MS);
        int to = column(Math.max(point.fromMs(), point.toMs() - 1) / MS);
        if (point.toMs() / MS <= start || point.fromMs() / MS >= start + width * count) {
            return;
        }
        for (int i = from; i <= to; i++) {
            p99Ns[i] = Math.max(p99Ns[i], point.p99Ns());
            maxNs[i] = Math.max(maxNs[i], point.maxNs());
        }
    }

    /** Returns the column of a time, the nearest one if it lies outside. */
    private int column(double second) {
        return (int) Math.max(0, Math.min(count - 1, Math.floor((second - start) / width)));
    }

    /** Returns the second at which a column begins. */
    long second(int column) {
        return start + (long) (column * width);
    }

    /** Returns the totals of a column, null if nothing happened in it. */
    @Nullable
    Second get(int column) {
        return totals[column];
    }

    long p99Ns(int column) {
        return p99Ns[column];
    }

    long maxNs(int column) {
        return maxNs[column];
    }
}
