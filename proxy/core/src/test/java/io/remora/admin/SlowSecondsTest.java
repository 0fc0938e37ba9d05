package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.LatencyLog;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Seconds of a profile, with latencies that the test records. */
final class SlowSecondsTest {
    private static final long US = 1_000;
    private static final int REQUESTS = 50;

    private final Stats stats = new Stats();
    private final LatencyTotals totals = new LatencyTotals(stats);
    private final ListenerStats listener = stats.add(new ListenerStats("in"));

    /** The admin thread, which is this one. */
    private static final class Now implements LaterReply {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public String peer() {
            throw new AssertionError();
        }

        @Override
        public StreamedAnswer stream(String contentType) {
            throw new AssertionError();
        }

        @Override
        public void told(int status, String text) {
            throw new AssertionError();
        }
    }

    private void serve(long us) {
        for (int i = 0; i < REQUESTS; i++) {
            listener.record(ListenerMetric.PROXY_TIME, us * US);
        }
    }

    @Test
    void theSecondsOfTheHighestLatencyAreSelected() throws IOException, InterruptedException {
        serve(900_000);
        SlowSeconds seconds = new SlowSeconds(new Now(), totals, 6, 2);
        seconds.at(0);
        long[] us = {100, 5_000, 200, 0, 7_000, 300};
        for (int second = 0; second < us.length; second++) {
            if (us[second] > 0) {
                serve(us[second]);
            }
            if (second < us.length - 1) {
                seconds.at(second + 1);
            }
        }
        boolean[] slow = seconds.select();
        assertThat(slow).containsExactly(false, true, false, false, true, false);
        assertThat(seconds.note(slow))
                .containsPattern(
                        "the slowest 2 s, whose p99 in the proxy was 50\\d\\dus or more, compared with the rest,"
                                + " of at most 30\\dus");
    }

    @Test
    void aReadingThatComesLateCountsForAllSecondsSinceTheLastOne() throws IOException, InterruptedException {
        SlowSeconds seconds = new SlowSeconds(new Now(), totals, 5, 3);
        seconds.at(0);
        serve(100);
        seconds.at(1);
        serve(800);
        seconds.at(4);
        serve(100);
        assertThat(seconds.select()).containsExactly(false, true, true, true, false);
    }

    @Test
    void theReadingsOfOthersTakeNothingAway() throws IOException, InterruptedException {
        SlowSeconds seconds = new SlowSeconds(new Now(), totals, 2, 1);
        seconds.at(0);
        serve(100);
        seconds.at(1);
        serve(900);
        new LatencyLog(totals, 0).take(1);
        assertThat(seconds.select()).containsExactly(false, true);
    }
}
