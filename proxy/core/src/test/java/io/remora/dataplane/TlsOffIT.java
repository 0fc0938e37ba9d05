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

/** Who has no TLS and trusts nobody does not pay for it: none of the classes is loaded. */
final class TlsOffIT {
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
                for (String page : List.of("/metrics", "/config")) {
                    admin.send("GET " + page + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    assertThat(admin.response().status()).isEqualTo(200);
                }
            }
            sidecar.endsWell();
            String classes = Files.readString(loaded);
            assertThat(classes).contains("io.remora.http1.FrontendConnection");
            assertThat(classes)
                    .doesNotContain("io.remora.tls.")
                    .doesNotContain("io.remora.admin.AdminConnections$Unready")
                    .doesNotContain("io.remora.config.ListenerTls")
                    .doesNotContain("io.remora.config.ClusterTls")
                    .doesNotContain("io.remora.config.TlsReader")
                    .doesNotContain("io.remora.config.Trust")
                    .doesNotContain("io.remora.trust.")
                    .doesNotContain("io.remora.http1.ConnectionAge")
                    .doesNotContain("io.remora.text.IpAddress")
                    .doesNotContain("io.remora.stages.TrustPeers")
                    .doesNotContain("io.remora.stages.RequireIdentity")
                    .doesNotContain("io.remora.metrics.Tls")
                    .doesNotContain("javax.net.ssl.")
                    .doesNotContain("sun.security.ssl.");
        }
    }
}
