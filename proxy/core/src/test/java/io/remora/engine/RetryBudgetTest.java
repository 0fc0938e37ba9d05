package io.remora.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RetryBudgetTest {
    private static final long S = 1_000_000_000L;

    /** The clock may stand anywhere. */
    private static final long START = -5 * S;

    private final RetryBudget budget = new RetryBudget(START);

    private int takeAll(long nowNs) {
        int taken = 0;
        while (budget.take(nowNs)) {
            taken++;
        }
        return taken;
    }

    @Test
    void hasTenForEachSecondThatHasBegunUpToTen() {
        assertThat(takeAll(START)).isEqualTo(10);
        assertThat(takeAll(START + S - 1)).isZero();
        assertThat(takeAll(START + S)).isEqualTo(10);
        assertThat(takeAll(START + 1_000 * S)).isEqualTo(100);
        assertThat(takeAll(START + 1_010 * S)).isZero();
        assertThat(takeAll(START + 1_010 * S + S / 4)).isEqualTo(100);
    }

    @Test
    void hasAFifthOfTheRequestsOfTenSeconds() {
        for (int i = 0; i < 1_000; i++) {
            budget.request(START);
        }
        assertThat(takeAll(START)).isEqualTo(210);
        assertThat(takeAll(START + 9 * S)).isEqualTo(90);
        // the requests have left the window, and the first retries leave it after them
        assertThat(takeAll(START + 10 * S)).isZero();
        assertThat(takeAll(START + 10 * S + S / 4)).isEqualTo(10);
    }

    /** Ten seconds of requests that were all good are followed by requests that all fail. */
    @Test
    void neverHasMoreInAnyTenSeconds() {
        int[] taken = new int[40_000];
        for (int i = 0; i < taken.length; i++) {
            long nowNs = START + i * (S / 1_000);
            budget.request(nowNs);
            taken[i] = i >= 10_300 && budget.take(nowNs) ? 1 : 0;
        }
        int inTen = 0;
        int most = 0;
        for (int i = 0; i < taken.length; i++) {
            inTen += taken[i] - (i >= 10_000 ? taken[i - 10_000] : 0);
            most = Math.max(most, inTen);
        }
        assertThat(most).isBetween(1_900, 2_100);
    }

    /** Bursts and silence, and whoever may takes all there is. */
    @Test
    void neverHasMoreInTheTenSecondsBeforeOneThatIsGranted() {
        SplittableRandom random = new SplittableRandom(7);
        ArrayDeque<Long> requests = new ArrayDeque<>();
        ArrayDeque<Long> retries = new ArrayDeque<>();
        int granted = 0;
        long nowNs = START;
        for (int burst = 0; burst < 2_000; burst++) {
            nowNs += random.nextInt(4) == 0 ? random.nextLong(12 * S) : random.nextLong(S / 10);
            for (int left = random.nextInt(200); left > 0; left--) {
                budget.request(nowNs);
                requests.add(nowNs);
            }
            forgetBefore(requests, nowNs - 10 * S);
            forgetBefore(retries, nowNs - 10 * S);
            for (int left = random.nextInt(200); left > 0 && budget.take(nowNs); left--) {
                retries.add(nowNs);
                granted++;
                assertThat(retries.size()).isLessThanOrEqualTo(requests.size() / 5 + 100);
            }
        }
        assertThat(granted).isGreaterThan(20_000);
    }

    private static void forgetBefore(ArrayDeque<Long> times, long fromNs) {
        while (!times.isEmpty() && times.peek() < fromNs) {
            times.remove();
        }
    }

    @Test
    void neverHasMoreWhateverTheLoad() {
        int requests = 0;
        int retries = 0;
        for (int i = 0; i < 60_000; i++) {
            long nowNs = START + i * (S / 1_000);
            budget.request(nowNs);
            requests++;
            retries += budget.take(nowNs) ? 1 : 0;
            retries += budget.take(nowNs) ? 1 : 0;
            assertThat(retries).isLessThanOrEqualTo(requests / 5 + 10 * (i / 1_000 + 1));
        }
        assertThat(retries).isGreaterThan(12_000);
    }
}
