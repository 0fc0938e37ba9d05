package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who does not trace does not pay for it: none of its classes is loaded. */
final class TracingOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.exchange.Exchange ");
        assertThat(classes)
                .doesNotContain("io.remora.trace.")
                .doesNotContain("io.remora.metrics.Trace")
                .doesNotContain("io.remora.config.keys.Trac")
                .doesNotContain("io.remora.config.model.Trac")
                .doesNotContain("io.remora.config.text.Trac")
                .doesNotContain("io.remora.config.yaml.Trac")
                .doesNotContain("io.remora.config.model.TraceExport")
                .doesNotContain("io.remora.serving.TraceSetup")
                .doesNotContain("io.remora.metrics.Exemplar")
                .doesNotContain("io.remora.metrics.OpenMetrics")
                .doesNotContain("io.remora.admin.MetricsFormat");
    }
}
