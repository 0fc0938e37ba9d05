package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What an average makes of attempts that were overtaken. */
final class LatencyEwmaTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LatencyEwma latency = new LatencyEwma(TimeUnit.SECONDS.toNanos(10));

    @Test
    void isAtLeastWhatWasWaited() {
        latency.learned(false, 2 * MS, 0);
        latency.learnedAtLeast(30 * MS, MS);
        assertThat(latency.latencyUs()).isEqualTo(30_000);
    }

    @Test
    void isKnownByAWait() {
        latency.learnedAtLeast(30 * MS, 0);
        assertThat(latency.latencyUs()).isEqualTo(30_000);
    }

    /** It may have become slower, for all that is known. */
    @Test
    void isNotLoweredByAWait() {
        latency.learned(false, 50 * MS, 0);
        for (int i = 1; i < 100; i++) {
            latency.learnedAtLeast(30 * MS, i * MS);
        }
        assertThat(latency.latencyUs()).isEqualTo(50_000);
    }
}
