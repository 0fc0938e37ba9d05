package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has neither adaptive admission nor hedges does not pay for them: none of their classes is loaded. */
final class ResilienceOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.exchange.Admission ");
        assertThat(classes)
                .doesNotContain("io.remora.exchange.AdaptiveLimit")
                .doesNotContain("io.remora.exchange.AwaitedResponse")
                .doesNotContain("io.remora.exchange.Latency")
                .doesNotContain("io.remora.exchange.Hedge")
                .doesNotContain("io.remora.exchange.Tries")
                .doesNotContain("io.remora.exchange.RetryRules")
                .doesNotContain("io.remora.stages.AdmitByLatency")
                .doesNotContain("io.remora.stages.HedgeSlow")
                .doesNotContain("io.remora.metrics.Admission")
                .doesNotContain("io.remora.cluster.Probe")
                .doesNotContain("io.remora.config.keys.Adaptive")
                .doesNotContain("io.remora.config.model.Adaptive")
                .doesNotContain("io.remora.config.yaml.Adaptive")
                .doesNotContain("io.remora.config.keys.Hedge")
                .doesNotContain("io.remora.config.model.Hedge")
                .doesNotContain("io.remora.config.yaml.Hedge")
                .doesNotContain("io.remora.config.text.ResilienceText");
    }
}
