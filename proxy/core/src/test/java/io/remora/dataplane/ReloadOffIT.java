package io.remora.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose configuration is never read anew does not pay for that: none of its classes is loaded. */
final class ReloadOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        assertThat(PlainSidecar.classes(directory))
                .contains("io.remora.DataPath")
                .doesNotContain("io.remora.Reload")
                .doesNotContain("io.remora.Replacement")
                .doesNotContain("io.remora.Preparation")
                .doesNotContain("io.remora.Retirement")
                .doesNotContain("io.remora.ConfigChanges")
                .doesNotContain("io.remora.WatchedConfig")
                .doesNotContain("io.remora.admin.ReloadOutcome");
    }
}
