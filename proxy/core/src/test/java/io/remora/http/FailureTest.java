package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    @Test
    void haveARowEachOnTheirPage() throws IOException {
        List<String> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../../docs/failures.md"))) {
            if (line.startsWith("| `")) {
                String[] cells = line.split("\\|");
                rows.add(cells[1].strip().replace("`", "") + " " + cells[2].strip());
            }
        }
        List<String> known = new ArrayList<>();
        for (Failure failure : Failure.values()) {
            known.add(failure.label() + " " + failure.status());
        }
        assertThat(rows).containsExactlyElementsOf(known);
    }

    @Test
    void haveEachLabelOnce() {
        assertThat(Failure.labels()).doesNotHaveDuplicates();
        for (Failure failure : Failure.values()) {
            assertThat(Failure.labels()).contains(failure.label());
        }
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
