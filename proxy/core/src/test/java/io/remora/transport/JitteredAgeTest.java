package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class JitteredAgeTest {
    @Test
    void leavesUpToATenthToChance() {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < 10_000; i++) {
            long age = Deadlines.jittered(1_000_000);
            least = Math.min(least, age);
            most = Math.max(most, age);
        }
        assertThat(least).isBetween(900_000L, 910_000L);
        assertThat(most).isBetween(990_000L, 1_000_000L);
        assertThat(Deadlines.jittered(1)).isOne();
    }
}
