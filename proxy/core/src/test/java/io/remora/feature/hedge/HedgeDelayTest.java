package io.remora.feature.hedge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** When a request is slow, by how long the others waited. */
final class HedgeDelayTest {
    private static final long MS = 1_000_000L;

    private final HedgeDelay delay = new HedgeDelay(new HedgeConfig(95, 2 * MS));
    private final Random random = new Random(1);

    private void learn(int number, long meanNs) {
        for (int i = 0; i < number; i++) {
            delay.learn((long) (-Math.log(1 - random.nextDouble()) * meanNs));
        }
    }

    @Test
    void nobodyKnowsAtFirst() {
        learn(99, 10 * MS);
        assertThat(delay.delayNs()).isEqualTo(HedgeDelay.NEVER);
        learn(1, 10 * MS);
        assertThat(delay.delayNs()).isLessThan(100 * MS);
    }

    /** Of an exponential distribution the 95th percentile is ln 20 = 3.0 times the mean. */
    @Test
    void isThePercentile() {
        learn(5_000, 10 * MS);
        assertThat(delay.delayNs()).isBetween(26 * MS, 34 * MS);
    }

    @Test
    void followsWhatTheLatencyIsOfLate() {
        learn(5_000, 10 * MS);
        learn(2_000, 100 * MS);
        assertThat(delay.delayNs()).isBetween(260 * MS, 340 * MS);
        learn(2_000, 10 * MS);
        assertThat(delay.delayNs()).isBetween(26 * MS, 34 * MS);
    }

    @Test
    void isNeverLessThanTheLeast() {
        learn(5_000, MS / 10);
        assertThat(delay.delayNs()).isEqualTo(2 * MS);
    }

    /** Who is overtaken counts with what it had waited by then; a twentieth stays slow, and no more. */
    @Test
    void doesNotFallByItsOwnHedges() {
        learn(2_000, 10 * MS);
        int slow = 0;
        for (int i = 0; i < 100_000; i++) {
            long wouldTakeNs = (long) (-Math.log(1 - random.nextDouble()) * 10 * MS);
            boolean hedged = wouldTakeNs > delay.delayNs();
            slow += hedged ? 1 : 0;
            delay.learn(hedged ? delay.delayNs() + MS / 10 : wouldTakeNs);
        }
        assertThat(slow).isBetween(3_000, 8_000);
    }
}
