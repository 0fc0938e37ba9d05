package io.remora.feature.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

final class RateTest {
    private static final long S = 1_000_000_000L;

    private final AtomicLongArray bucket = new AtomicLongArray(1);

    private int passes(Rate rate, int requests, long nowNs) {
        int passed = 0;
        for (int i = 0; i < requests; i++) {
            passed += rate.take(bucket, 0, nowNs) == 0 ? 1 : 0;
        }
        return passed;
    }

    @Test
    void letsABurstThroughAndNoMore() {
        Rate rate = new Rate(10, S, 25);
        assertThat(passes(rate, 100, 5 * S)).isEqualTo(25);
        assertThat(passes(rate, 100, 5 * S)).isZero();
    }

    @Test
    void givesTokensBackEvenly() {
        Rate rate = new Rate(10, S, 25);
        assertThat(passes(rate, 100, 0)).isEqualTo(25);
        assertThat(passes(rate, 100, S / 10 - 1)).isZero();
        assertThat(passes(rate, 100, S / 10)).isOne();
        assertThat(passes(rate, 100, S)).isEqualTo(9);
        assertThat(passes(rate, 100, 100 * S)).isEqualTo(25);
    }

    @Test
    void tellsHowLongToWait() {
        Rate rate = new Rate(30, 60 * S, 1);
        assertThat(rate.take(bucket, 0, 7)).isZero();
        assertThat(rate.take(bucket, 0, 7)).isEqualTo(2 * S);
        assertThat(rate.take(bucket, 0, S + 7)).isEqualTo(S);
        assertThat(rate.take(bucket, 0, 2 * S + 7)).isZero();
    }

    /** Where the time of a token is no whole number of nanoseconds, fewer come through, never more. */
    @Test
    void neverLetsMoreThroughThanIsSaid() {
        Rate rate = new Rate(999_999, S, 1);
        int passed = 0;
        for (long nowNs = 1; nowNs <= S / 100; nowNs += 100) {
            passed += rate.take(bucket, 0, nowNs) == 0 ? 1 : 0;
        }
        assertThat(passed).isBetween(9_000, 10_000);
    }

    @Test
    void standsTheLargestNumbers() {
        Rate rate = new Rate(1, 60 * S, 1_000_000);
        assertThat(passes(rate, 1_000_001, Long.MAX_VALUE / 4)).isEqualTo(1_000_000);
        assertThat(rate.take(bucket, 0, Long.MAX_VALUE / 4)).isEqualTo(60 * S);
    }
}
