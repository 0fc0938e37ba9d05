package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

final class RoughTimesTest {
    private static final double[] SHARES = {0.5, 0.9, 0.99, 0.999};

    @Test
    void aPercentileIsOffByAtMostWhatItSays() {
        Random random = new Random(1);
        RoughTimes times = new RoughTimes();
        long[] exact = new long[100_000];
        for (int i = 0; i < exact.length; i++) {
            // from 20 us to 20 s, as many in each decade
            exact[i] = (long) (20_000 * Math.pow(10, 6 * random.nextDouble()));
            times.record(exact[i]);
        }
        Arrays.sort(exact);
        long[] found = RoughTimes.at(sum(times), SHARES);
        for (int i = 0; i < SHARES.length; i++) {
            long wanted = exact[(int) Math.ceil(SHARES[i] * exact.length) - 1];
            assertThat(found[i]).as("%s", SHARES[i]).isCloseTo(wanted, Percentage.withPercentage(3.2));
        }
    }

    @Test
    void bucketsFollowEachOtherWithoutAGap() {
        int last = 0;
        for (long ns = 0; ns < 61_000_000_000L; ns += 1 + ns / 200) {
            int bucket = RoughTimes.bucket(ns);
            assertThat(bucket).isBetween(last, last + 1);
            last = bucket;
        }
        assertThat(last)
                .isEqualTo(RoughTimes.bucket(LatencyRecorder.HIGHEST_NS))
                .isLessThan(RoughTimes.BUCKETS);
    }

    @Test
    void whatIsOutsideCountsAtTheBound() {
        RoughTimes times = new RoughTimes();
        times.record(-1);
        times.record(Long.MAX_VALUE);
        assertThat(RoughTimes.at(sum(times), 0.5, 1))
                .containsExactly(
                        RoughTimes.middleNs(0), RoughTimes.middleNs(RoughTimes.bucket(LatencyRecorder.HIGHEST_NS)));
    }

    @Test
    void nothingHasNoPercentile() {
        assertThat(RoughTimes.at(RoughTimes.newSum(), SHARES)).containsOnly(0);
    }

    @Test
    void aDifferenceHasWhatCameBetween() {
        RoughTimes times = new RoughTimes();
        times.record(1_000_000);
        int[] between = RoughTimes.newSum();
        times.addTo(between, -1);
        times.record(50_000_000);
        times.addTo(between, 1);
        assertThat(RoughTimes.at(between, 0.5)[0]).isCloseTo(50_000_000, Percentage.withPercentage(3.2));
    }

    private static int[] sum(RoughTimes times) {
        int[] sum = RoughTimes.newSum();
        times.addTo(sum, 1);
        return sum;
    }
}
