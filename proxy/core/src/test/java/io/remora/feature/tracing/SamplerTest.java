package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class SamplerTest {
    @Test
    void takesItsShareByTheTracesId() {
        Random random = new Random(1);
        Sampler share = new Sampler(10_000);
        Sampler larger = new Sampler(20_000);
        int taken = 0;
        for (int i = 0; i < 200_000; i++) {
            long id = random.nextLong();
            if (share.takes(id)) {
                taken++;
                assertThat(larger.takes(id))
                        .as("who has a larger share takes it too")
                        .isTrue();
            }
        }
        // six standard deviations
        assertThat(taken).isBetween(1_730, 2_270);
    }

    @Test
    void takesAllOrNone() {
        for (long id : new long[] {0, -1, 1L << 55, (1L << 56) - 1, Long.MIN_VALUE}) {
            assertThat(new Sampler(1_000_000).takes(id)).isTrue();
            assertThat(new Sampler(0).takes(id)).isFalse();
        }
    }
}
