package io.remora.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has neither adaptive admission nor hedges does not pay for them: none of their classes is loaded. */
final class ResilienceOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory, backend, List.of(), List.of("-Xlog:class+load:file=" + loaded), "")) {
            try (RawClient client = sidecar.client();
                    RawClient admin = sidecar.adminClient()) {
                String get = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";
                assertThat(client.send(get).response().bodyText()).isEqualTo("ok");
                for (String page : List.of("/metrics", "/config", "/clusters")) {
                    admin.send("GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    assertThat(admin.response().status()).isEqualTo(200);
                }
            }
            sidecar.endsWell();
            String classes = Files.readString(loaded);
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
                    .doesNotContain("io.remora.config.Adaptive")
                    .doesNotContain("io.remora.config.Hedge")
                    .doesNotContain("io.remora.config.ResilienceText");
        }
    }
}
