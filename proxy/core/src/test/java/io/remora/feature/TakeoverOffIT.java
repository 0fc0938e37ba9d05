package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is not taken over, and inherits nothing, does not pay for it: none of its classes is loaded. */
final class TakeoverOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.transport.Listener");
        assertThat(classes)
                .doesNotContain("io.remora.takeover.")
                .doesNotContain("io.remora.Succession")
                .doesNotContain("io.remora.transport.Descriptors")
                .doesNotContain("io.remora.transport.GivenSockets")
                .doesNotContain("io.remora.warmup.")
                .doesNotContain("io.remora.config.model.WarmUpConfig")
                .doesNotContain("io.remora.config.model.TakeoverConfig")
                .doesNotContain("io.remora.config.yaml.TakeoverReader");
    }
}
