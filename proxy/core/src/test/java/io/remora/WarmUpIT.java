package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.ConfigText;
import io.remora.config.ProxyConfig;
import io.remora.dataplane.SidecarProcess;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests of the sidecar's own before it is ready: made, bounded in time, and nowhere to be seen afterwards. */
final class WarmUpIT {
    private static String page(SidecarProcess sidecar, String page) throws IOException {
        try (RawClient admin = sidecar.adminClient()) {
            return admin.send("GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
        }
    }

    private static void answers(SidecarProcess sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void isInNoMetricAndNoLog(@TempDir Path directory) throws IOException {
        Path access = directory.resolve("access.log");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory,
                        List.of(),
                        List.of(),
                        Setup.before(backend)
                                .process("log-level: info\nwarm-up: { requests: 120 }\naccess-log: { output: " + access
                                        + " }"))) {
            String log = sidecar.log();
            assertThat(log).contains("warm-up: 120 requests in ");
            assertThat(log.indexOf("warm-up: 120")).isLessThan(log.indexOf(" ready; admin on"));
            assertThat(log).doesNotContain("listener warm-up");
            assertThat(backend.requests()).isEmpty();
            assertThat(page(sidecar, "/metrics"))
                    .doesNotContain("warm-up")
                    .contains("remora_exchanges_started_total{listener=\"test\"} 0");
            assertThat(page(sidecar, "/clusters")).doesNotContain("warm-up");
            answers(sidecar);
            sidecar.endsWell();
            assertThat(access).content().hasLineCount(1);
        }
    }

    @Test
    void isOverWhenItsTimeIs(@TempDir Path directory) throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory,
                        List.of(),
                        List.of(),
                        Setup.before(backend)
                                .process("log-level: info\nwarm-up: { requests: 100000, timeout: 300ms }"))) {
            assertThat(sidecar.log()).contains("WARN warm-up ended after ").contains("its time is over");
            answers(sidecar);
            sidecar.endsWell();
        }
    }

    @Test
    void isShownAsItIsRead() throws Exception {
        String yaml = Setup.at(1).process("warm-up: {}").yaml();
        ProxyConfig config = read(yaml);
        assertThat(config.warmUp()).isNotNull();
        assertThat(ConfigText.render(config)).contains("warm-up:\n  requests: 2000\n  timeout: 10s\n");
        assertThat(read(ConfigText.render(config))).isEqualTo(config);
    }

    private static ProxyConfig read(String yaml) throws Exception {
        return io.remora.config.ConfigReader.read(
                "test.yaml", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), Map.of());
    }
}
