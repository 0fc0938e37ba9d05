package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of how long active file pages count where they make the stage worse. */
final class ActiveFilesTest {
    private static final long COUNTED = ActiveFiles.COUNTED_NS;
    private static final long SPARED = ActiveFiles.SPARED_NS;

    private final ActiveFiles files = new ActiveFiles();

    @Test
    void countWhileTheyShutNothing() {
        assertThat(files.areSpared(false, true, 0)).isFalse();
        assertThat(files.areSpared(false, false, 100 * COUNTED)).isFalse();
    }

    @Test
    void countForASecondAndNotForTen() {
        assertThat(files.areSpared(true, false, 5)).isFalse();
        assertThat(files.areSpared(true, false, 4 + COUNTED)).isFalse();
        assertThat(files.areSpared(true, false, 5 + COUNTED)).isTrue();
        assertThat(files.areSpared(false, false, 4 + COUNTED + SPARED)).isTrue();
        assertThat(files.areSpared(true, false, 5 + COUNTED + SPARED))
                .as("again")
                .isFalse();
        assertThat(files.areSpared(true, false, 5 + 2 * COUNTED + SPARED)).isTrue();
    }

    @Test
    void theSecondBeginsAgainWhereSomethingElseShutsIt() {
        assertThat(files.areSpared(true, false, 0)).isFalse();
        assertThat(files.areSpared(false, false, COUNTED)).isFalse();
        assertThat(files.areSpared(true, false, 2 * COUNTED)).isFalse();
        assertThat(files.areSpared(true, false, 3 * COUNTED)).isTrue();
    }

    @Test
    void neverCountAgainstTheFirstThatComes() {
        assertThat(files.areSpared(true, true, 0)).isTrue();
        assertThat(files.areSpared(false, false, SPARED - 1)).isTrue();
        assertThat(files.areSpared(true, true, SPARED)).isTrue();
        assertThat(files.areSpared(false, true, 2 * SPARED)).isFalse();
    }
}
