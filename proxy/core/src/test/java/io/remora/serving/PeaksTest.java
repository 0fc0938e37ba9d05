package io.remora.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rows of the peaks, by hours and seconds that a test sets. */
final class PeaksTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long SECOND_NS = 1_000_000_000;
    private static final long KIB = 1_024;
    private static final int MOST_BYTES = 4_096;

    private final Stats stats = new Stats();
    private final ListenerStats in = stats.add(new ListenerStats("in"));
    private final ListenerStats out = stats.add(new ListenerStats("out"));
    private final Peaks peaks = new Peaks(stats);
    private long nowNs = 7;

    private void look(int hour, long seconds, long usageBytes, long limitBytes) {
        nowNs += seconds * SECOND_NS;
        peaks.look(hour * HOUR_MS + 5, nowNs, usageBytes, limitBytes);
    }

    private List<String> rows() {
        StringBuilder text = new StringBuilder();
        peaks.append(text);
        return text.toString().lines().skip(1).toList();
    }

    /** The columns that follow from what the test counts: without the heap and direct memory of the test's JVM. */
    private List<String> counted() {
        return rows().stream()
                .map(row -> row.split(" "))
                .map(row -> String.join(" ", row[0], row[1], row[2], row[3], row[4], row[7]))
                .toList();
    }

    @Test
    void hasNoRowBeforeTheFirstLook() {
        StringBuilder text = new StringBuilder();
        peaks.append(text);
        assertThat(text.toString())
                .isEqualTo("hour rate connections exchanges usage_bytes heap_bytes direct_bytes limit_bytes\n");
    }

    @Test
    void keepsTheMostOfEachHour() {
        in.add(ListenerMetric.FRONTEND_ACCEPTED, 5);
        in.add(ListenerMetric.EXCHANGES_STARTED, 40);
        out.add(ListenerMetric.EXCHANGES_STARTED, 10);
        look(1, 1, 9 * KIB, 64 * KIB);
        in.add(ListenerMetric.FRONTEND_CLOSED, 3);
        in.add(ListenerMetric.EXCHANGES_FINISHED, 40);
        out.add(ListenerMetric.EXCHANGES_STARTED, 20);
        look(1, 1, 7 * KIB, 64 * KIB);
        assertThat(counted()).containsExactly("3600 50 5 50 9216 65536");
        look(2, 1, -1, 0);
        assertThat(counted()).containsExactly("3600 50 5 50 9216 65536", "7200 0 2 30 0 0");
    }

    @Test
    void aRateIsOfASecondHoweverOftenTheWatchLooks() {
        look(1, 1, 0, 0);
        for (int i = 0; i < 25; i++) {
            in.add(ListenerMetric.EXCHANGES_STARTED, 10);
            nowNs += SECOND_NS / 10;
            peaks.look(HOUR_MS, nowNs, 0, 0);
        }
        assertThat(counted()).containsExactly("3600 100 0 250 0 0");
        // looks were one and a half seconds late
        in.add(ListenerMetric.EXCHANGES_STARTED, 400);
        look(2, 2, 0, 0);
        assertThat(counted().get(1)).startsWith("7200 180 ");
    }

    @Test
    void aRestCountsAsTheSecondBeforeItsEnd() {
        look(1, 1, 0, 0);
        in.add(ListenerMetric.EXCHANGES_STARTED, 30);
        look(1, 3_000, 0, 0);
        assertThat(counted()).containsExactly("3600 30 0 30 0 0");
    }

    @Test
    void aListenerThatEndsTakesNoRateWithIt() {
        in.add(ListenerMetric.EXCHANGES_STARTED, 30);
        look(1, 1, 0, 0);
        stats.removeListener("in");
        look(1, 1, 0, 0);
        out.add(ListenerMetric.EXCHANGES_STARTED, 4);
        look(2, 1, 0, 0);
        assertThat(counted()).containsExactly("3600 30 0 30 0 0", "7200 4 0 4 0 0");
    }

    @Test
    void forgetsWhatIsOlderThanADay() {
        for (int hour = 1; hour <= 30; hour++) {
            look(hour, 3_600, hour * KIB, 0);
        }
        assertThat(rows()).hasSize(Peaks.HOURS).first().asString().startsWith(7 * 3_600 + " ");
        assertThat(rows().get(Peaks.HOURS - 1)).startsWith(30 * 3_600 + " ").contains(" " + 30 * KIB + " ");
        // a clock that is set back begins a row as well
        look(3, 1, KIB, 0);
        assertThat(rows()).hasSize(Peaks.HOURS).last().asString().startsWith(3 * 3_600 + " ");
    }

    @Test
    void hasTheHeapThatACollectionHasLeft() {
        look(1, 1, 0, 0);
        byte[] garbage = new byte[8 << 20];
        assertThat(garbage).hasSize(8 << 20);
        look(1, 1, 0, 0);
        garbage = null;
        System.gc();
        look(1, 1, 0, 0);
        long heapBytes = Long.parseLong(rows().get(0).split(" ")[5]);
        Runtime runtime = Runtime.getRuntime();
        assertThat(heapBytes).isPositive().isLessThanOrEqualTo(runtime.totalMemory());
    }

    @Test
    void takesAtMostFourKibibytesAndNothingForALook() {
        assertThat(Peaks.HOURS * Peaks.COLUMNS * Integer.BYTES).isLessThanOrEqualTo(MOST_BYTES / 4);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long leastBytes = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getThreadAllocatedBytes(thread);
            for (int i = 0; i < 1_000; i++) {
                look(round, 1, i, i);
            }
            leastBytes = Math.min(leastBytes, threads.getThreadAllocatedBytes(thread) - before);
        }
        // the bean itself has some
        assertThat(leastBytes).isLessThan(1_000);
    }
}
