package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What {@code remora check} warns of, the log of a sidecar that starts says as well. */
final class WarningsIT {
    private final PrintStream standardError = System.err;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        System.setErr(standardError);
        backend.close();
    }

    private String logged(String cluster) {
        lines.reset();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try (Sidecar sidecar =
                Sidecar.start(Setup.before(backend).process("engine: finagle").cluster(cluster))) {
            sidecar.awaitIdle();
        } finally {
            System.setErr(standardError);
        }
        return lines.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theStartTellsThem() {
        assertThat(logged("accrual: {}"))
                .contains(" WARN engine finagle: clusters.app.accrual: " + Difference.ALL_OUT.text() + "\n")
                .contains(" WARN engine finagle: clusters.app.accrual: " + Difference.PAGE.text() + "\n");
        assertThat(logged("")).doesNotContain("engine finagle: ");
    }
}
