package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FailureTest {
    /** The contract tests know the failures by what users see of them: this table is theirs, and must be whole. */
    @Test
    void areWhatTheContractTestsKnow() {
        assertThat(Failure.values())
                .extracting(failure -> failure.label() + " " + failure.status())
                .containsExactlyInAnyOrderElementsOf(java.util.Arrays.stream(io.remora.testkit.Failure.values())
                        .map(failure -> failure.label() + " " + failure.status())
                        .toList());
    }

    /** A response of the sidecar's own has a text; what reaches nobody has none. */
    @Test
    void sayWhatIsWrong() {
        for (Failure failure : Failure.values()) {
            assertThat(failure.text().isEmpty()).as(failure.label()).isEqualTo(failure.withoutResponse());
            assertThat(failure.retryLater()).as(failure.label()).isEqualTo(failure.status() == 503);
        }
    }
}
