package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The native memory of a real sidecar's JVM, by its admin listener. */
final class NativeMemoryPageIT {
    @TempDir
    private Path directory;

    private SidecarProcess start(RecordingBackend backend, String... options) throws IOException {
        NativeLibrary.into(directory);
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Djava.library.path=" + directory);
        return SidecarProcess.start(directory, List.of(), all, """
            admin: { address: '127.0.0.1:0', profile: true }
            log-level: info
            listeners:
              - { name: test, address: '127.0.0.1:0', cluster: app }
            clusters:
              app: { endpoints: ['127.0.0.1:PORT'] }
            """.replace("PORT", Integer.toString(backend.port())));
    }

    private static RawResponse post(SidecarProcess sidecar, String query) throws IOException {
        try (RawClient client = sidecar.adminClient().readTimeoutMs(60_000)) {
            return client.send(
                            "POST /native-memory" + query + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response("POST");
        }
    }

    @Test
    void showsTheMemoryByPurposeAndWhatHasGrown() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start(backend, "-XX:NativeMemoryTracking=summary")) {
            RawResponse summary = post(sidecar, "");
            assertThat(summary.status()).isEqualTo(200);
            assertThat(summary.bodyText()).contains("Total: reserved=", "Java Heap (reserved=", "Code (reserved=");
            sidecar.awaitLog("native-memory: VM.native_memory summary executed; sent it peer=127.0.0.1:");
            assertThat(post(sidecar, "?action=diff").bodyText()).contains("No baseline");
            assertThat(post(sidecar, "?action=baseline").bodyText()).contains("Baseline");
            assertThat(post(sidecar, "?action=diff").bodyText())
                    .contains("Total: reserved=")
                    .doesNotContain("No baseline");
            assertThat(post(sidecar, "?action=all").status()).isEqualTo(400);
        }
    }

    @Test
    void saysHowToStartTheTracking() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start(backend)) {
            RawResponse response = post(sidecar, "");
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.bodyText()).contains("-XX:NativeMemoryTracking=summary in REMORA_JAVA_OPTS");
        }
    }
}
