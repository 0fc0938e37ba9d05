package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogThrottleTest {
    private static final long PERIOD_NS = 1_000;

    /** Wherever the clock stands: its origin is anywhere, and it may wrap. */
    @ParameterizedTest
    @ValueSource(longs = {0, 5, -3, Long.MAX_VALUE - 10, Long.MIN_VALUE})
    void soManyInAPeriod(long startNs) {
        LogThrottle throttle = new LogThrottle(2, PERIOD_NS);
        assertThat(throttle.tail(startNs)).isEmpty();
        assertThat(throttle.tail(startNs + 1)).isEmpty();
        assertThat(throttle.tail(startNs + 2)).isNull();
        assertThat(throttle.tail(startNs + PERIOD_NS - 1)).isNull();
        assertThat(throttle.tail(startNs + PERIOD_NS)).isEqualTo(" (and 2 more before)");
        assertThat(throttle.tail(startNs + PERIOD_NS)).isEmpty();
        assertThat(throttle.tail(startNs + PERIOD_NS)).isNull();
    }

    @Test
    void aPeriodBeginsWithItsFirstLine() {
        LogThrottle throttle = new LogThrottle(1, PERIOD_NS);
        assertThat(throttle.tail(0)).isEmpty();
        assertThat(throttle.tail(10 * PERIOD_NS - 1)).isEmpty();
        assertThat(throttle.tail(10 * PERIOD_NS)).isNull();
    }
}
