package io.remora.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * At a reload each sidecar asks whether tracing and adaptive admission stay as they are, where it has them. A record's own comparison would
 * have the JDK generate classes for that.
 */
final class ComparedConfigsIT {
    @Test
    void areComparedWithoutGeneratedClasses(@TempDir Path directory) throws IOException {
        Path log = directory.resolve("loaded.txt");
        Command.run(
                        directory,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:file=" + log,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ComparedConfigs.class.getName())
                .good();
        assertThat(Files.readString(log))
                .contains("io.remora.feature.tracing.TraceExportConfig", "io.remora.exchange.AdaptiveConfig")
                .doesNotContain("java.lang.runtime.ObjectMethods");
    }
}
