package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where each stage begins and ends, by what is reserved and by what the kernel charges. */
final class PressureTest {
    @ParameterizedTest
    @CsvSource({
        "CALM, 599, 919, CALM",
        "CALM, 600, 0, SHRINK",
        "CALM, 0, 920, SHRINK",
        "CALM, 750, 0, PAUSE",
        "CALM, 0, 940, PAUSE",
        "CALM, 920, 0, REFUSE",
        "CALM, 0, 960, REFUSE",
        "CALM, 0, 975, CUT",
        "CALM, 0, 990, CLOSE",
        "CALM, 1000, 0, CUT",
    })
    void begins(Pressure before, int fill, int usage, Pressure expected) {
        assertThat(before.next(fill, usage, false)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "SHRINK, 450, 0, SHRINK",
        "SHRINK, 449, 879, CALM",
        "SHRINK, 0, 880, SHRINK",
        "PAUSE, 600, 0, PAUSE",
        "PAUSE, 599, 0, SHRINK",
        "PAUSE, 0, 900, PAUSE",
        "PAUSE, 0, 899, SHRINK",
        "REFUSE, 800, 0, REFUSE",
        "REFUSE, 799, 0, PAUSE",
        "REFUSE, 0, 919, PAUSE",
        "CUT, 999, 939, REFUSE",
        "CUT, 0, 940, CUT",
        "CLOSE, 0, 950, CLOSE",
        "CLOSE, 0, 949, CUT",
        "CLOSE, 0, 0, CALM",
    })
    void endsBelowWhereItBegan(Pressure before, int fill, int usage, Pressure expected) {
        assertThat(before.next(fill, usage, false)).isEqualTo(expected);
    }

    @Test
    void cutsWhereSomebodyIsRefused() {
        assertThat(Pressure.REFUSE.next(950, 0, true)).isEqualTo(Pressure.CUT);
        assertThat(Pressure.CUT.next(950, 0, false)).isEqualTo(Pressure.REFUSE);
        // a refusal before the stage had begun does not bring it about
        assertThat(Pressure.CALM.next(100, 0, true)).isEqualTo(Pressure.CALM);
    }

    @Test
    void goesDownStageByStageAndAtOnceToCalm() {
        Pressure now = Pressure.CALM.next(0, 1_000, false);
        assertThat(now).isEqualTo(Pressure.CLOSE);
        for (int usage = 1_000; usage > 0; usage -= 5) {
            Pressure next = now.next(0, usage, false);
            assertThat(next).as("usage %d", usage).isLessThanOrEqualTo(now);
            now = next;
        }
        assertThat(now).isEqualTo(Pressure.CALM);
        assertThat(Pressure.CLOSE.next(0, 0, false)).isEqualTo(Pressure.CALM);
    }
}
