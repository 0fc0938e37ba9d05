package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who limits no rate and lists no clients does not pay for it: none of these classes is loaded. */
final class LimitsOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.stages.Admit ");
        assertThat(classes)
                .doesNotContain("io.remora.config.keys.RateLimit")
                .doesNotContain("io.remora.config.model.RateLimit")
                .doesNotContain("io.remora.config.text.RateLimit")
                .doesNotContain("io.remora.config.yaml.RateLimit")
                .doesNotContain("io.remora.config.model.ClientsConfig")
                .doesNotContain("io.remora.stages.CheckClient")
                .doesNotContain("io.remora.config.model.Grpc")
                .doesNotContain("io.remora.config.yaml.Grpc")
                .doesNotContain("io.remora.transport.FileBinding")
                .doesNotContain("io.remora.metrics.GrpcMethod")
                .doesNotContain("io.remora.stages.CountMethods")
                .doesNotContain("io.remora.trust.");
    }
}
