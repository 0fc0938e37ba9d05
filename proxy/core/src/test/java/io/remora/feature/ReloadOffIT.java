package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose configuration is never read anew does not pay for that: none of its classes is loaded. */
final class ReloadOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        assertThat(PlainSidecar.classes(directory))
                .contains("io.remora.serving.DataPath")
                .doesNotContain("io.remora.reload.")
                .doesNotContain("io.remora.serving.Replacement")
                .doesNotContain("io.remora.serving.Preparation")
                .doesNotContain("io.remora.serving.Retirement")
                .doesNotContain("io.remora.admin.ReloadOutcome");
    }
}
