package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.LatencyLog;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Seconds of a profile, with latencies that the test records. */
final class SlowSecondsTest {
    private static final long US = 1_000;
    private static final int REQUESTS = 50;

    private final Stats stats = new Stats();
    private final LatencyTotals totals = new LatencyTotals(stats);
    private final ListenerStats listener = stats.add(new ListenerStats("in"));

    /** The admin thread, which is this one. */
    private static class Now implements LaterReply {
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
        assertThat(seconds.note(slow)).matches("slowest 2 s: p99 >= 50\\d\\d us; rest: <= 30\\d us");
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
    void aLatencyOfSecondsCountsForTheSecondsBeforeItsEnd() throws IOException, InterruptedException {
        SlowSeconds seconds = new SlowSeconds(new Now(), totals, 6, 4);
        seconds.at(0);
        for (int second = 1; second <= 4; second++) {
            serve(second == 4 ? 2_500_000 : 100);
            seconds.at(second);
        }
        serve(100);
        seconds.at(5);
        boolean[] slow = seconds.select();
        assertThat(slow).containsExactly(true, true, true, true, false, false);
    }

    @Test
    void aSecondInWhichNoExchangeEndedIsNotSelected() throws IOException, InterruptedException {
        SlowSeconds seconds = new SlowSeconds(new Now(), totals, 4, 3);
        seconds.at(0);
        seconds.at(1);
        serve(100);
        seconds.at(2);
        boolean[] slow = seconds.select();
        assertThat(slow).containsExactly(false, true, false, false);
        assertThat(seconds.note(slow)).matches("slowest 1 s: p99 >= 10\\d us; rest: <= 0 us");
    }

    @Test
    void withoutExchangesNothingIsCompared() throws IOException, InterruptedException {
        SlowSeconds seconds = new SlowSeconds(new Now(), totals, 3, 1);
        seconds.at(0);
        boolean[] slow = seconds.select();
        assertThat(slow).containsExactly(true, true, true);
        assertThat(seconds.note(slow)).isEqualTo("no exchange ended, nothing is compared");
    }

    @Test
    void exchangesBeforeTheProfileDoNotCountWhereTheAdminThreadIsLate() throws IOException, InterruptedException {
        List<Runnable> late = new ArrayList<>();
        LaterReply admin = new Now() {
            @Override
            public void execute(Runnable task) {
                late.add(task);
            }
        };
        serve(900_000);
        SlowSeconds seconds = new SlowSeconds(admin, totals, 3, 1);
        seconds.at(0);
        seconds.at(1);
        late.forEach(Runnable::run);
        late.clear();
        serve(100);
        seconds.at(2);
        late.forEach(Runnable::run);
        late.clear();
        serve(200);
        Thread last = new Thread(() -> late.get(0).run());
        seconds.at(3);
        last.start();
        last.join();
        assertThat(seconds.select()).containsExactly(false, false, true);
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
