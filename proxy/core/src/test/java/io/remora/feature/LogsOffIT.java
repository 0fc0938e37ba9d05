package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar without an access log and levels of components loads none of their classes. */
final class LogsOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.log.Log ");
        assertThat(classes)
                .doesNotContain("io.remora.log.Access")
                .doesNotContain("io.remora.log.FileAccessLog")
                .doesNotContain("io.remora.http.TraceParent")
                .doesNotContain("io.remora.config.keys.ShareText")
                .doesNotContain("io.remora.admin.LogLevelPage");
    }
}
