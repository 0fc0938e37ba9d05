package io.remora.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RateWindowTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final RateWindow window = new RateWindow(1);

    @Test
    void nothingBeforeTheSecondReading() {
        assertThat(window.hundredthsPerSecond()).isZero();
        assertThat(window.success()).isEqualTo(-1);
        window.add(7, 0, 0);
        assertThat(window.hundredthsPerSecond()).isZero();
        assertThat(window.success()).isEqualTo(-1);
    }

    @Test
    void whatCameInTheLastTenSeconds() {
        for (int second = 0; second <= 30; second++) {
            // 100 a second, and from the 25th on one of them fails
            window.add(100L * second, Math.max(0, second - 25), second * SECOND_NS);
        }
        assertThat(window.hundredthsPerSecond()).isEqualTo(10_000);
        assertThat(window.success()).isEqualTo(10_000 - 50);
    }

    @Test
    void theSameSecondsOfFewerReadings() {
        RateWindow slow = new RateWindow(5);
        for (int second = 0; second <= 30; second += 5) {
            slow.add(second <= 20 ? 0 : 100L * (second - 20), 0, second * SECOND_NS);
        }
        assertThat(slow.hundredthsPerSecond()).isEqualTo(10_000);
    }

    @Test
    void aPeriodThatDoesNotDivideTheWindowExtendsIt() {
        RateWindow slow = new RateWindow(6);
        for (int second = 0; second <= 30; second += 6) {
            slow.add(second <= 18 ? 0 : 100L * (second - 18), 0, second * SECOND_NS);
        }
        assertThat(slow.hundredthsPerSecond()).isEqualTo(10_000);
        slow.add(1_200, 0, 36 * SECOND_NS);
        assertThat(slow.hundredthsPerSecond()).isEqualTo(5_000);
    }

    /** A reload removes a listener, with what it has counted. */
    @Test
    void theWindowBeginsAgainWhenCountersFall() {
        window.add(1_000, 10, 0);
        window.add(2_000, 20, SECOND_NS);
        window.add(500, 5, 2 * SECOND_NS);
        assertThat(window.hundredthsPerSecond()).isZero();
        assertThat(window.success()).isEqualTo(-1);
        window.add(600, 5, 3 * SECOND_NS);
        assertThat(window.hundredthsPerSecond()).isEqualTo(10_000);
    }

    @Test
    void aSingleFailureOfManyIsNotRoundedAway() {
        window.add(0, 0, 0);
        window.add(1_000_000, 1, SECOND_NS);
        assertThat(window.success()).isEqualTo(9_999);
    }

    @Test
    void readingsMayBeLate() {
        window.add(0, 0, 0);
        window.add(100, 0, 4 * SECOND_NS);
        assertThat(window.hundredthsPerSecond()).isEqualTo(2_500);
    }
}
