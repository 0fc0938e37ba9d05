package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class PhaseTest {
    private static final long MS = 1_000_000;

    @Test
    void countsWhatBeganFarBehindItsPlan() {
        Phase phase = new Phase("steady", MS);
        phase.begin();
        waitFor(40 * MS);
        phase.begin();
        assertThat(phase.summary()).startsWith("phase steady sent 2 ").endsWith(", late 1");
    }

    @Test
    void whatBeginsAtItsTimeIsNotLate() {
        Phase phase = new Phase("steady", 3_600_000 * MS);
        phase.begin();
        waitFor(40 * MS);
        phase.begin();
        assertThat(phase.summary()).endsWith(", late 0");
    }

    @Test
    void nothingIsLateWithoutAConstantRate() {
        Phase phase = new Phase("warm-up");
        phase.begin();
        waitFor(40 * MS);
        phase.begin();
        assertThat(phase.summary()).endsWith(", late 0");
    }

    @Test
    void aPhaseLastsFromItsFirstRequest() {
        Phase phase = new Phase("warm-up");
        waitFor(MS);
        assertThat(phase.lasted(0)).isFalse();
        phase.begin();
        assertThat(phase.lasted(0)).isTrue();
        assertThat(phase.lasted(3_600)).isFalse();
    }

    private static void waitFor(long ns) {
        long untilNs = System.nanoTime() + ns;
        while (System.nanoTime() < untilNs) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }
}
