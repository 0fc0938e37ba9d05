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

/** Who lists all endpoints in the configuration does not pay for other sources: none of their classes is loaded. */
final class EndpointsOffIT {
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
            assertThat(classes).contains("io.remora.naming.StaticResolver");
            assertThat(classes)
                    .doesNotContain("io.remora.files.")
                    .doesNotContain("io.remora.dns.")
                    .doesNotContain("io.remora.naming.Sources")
                    .doesNotContain("io.remora.naming.Dns")
                    .doesNotContain("io.remora.naming.File")
                    .doesNotContain("io.remora.naming.Described")
                    .doesNotContain("io.remora.metrics.Naming")
                    .doesNotContain("io.remora.config.Resolver")
                    .doesNotContain("io.remora.config.Dns")
                    .doesNotContain("io.remora.config.EndpointList")
                    .doesNotContain("io.remora.cluster.PendingQueue")
                    .doesNotContain("io.remora.cluster.ClusterSource")
                    .doesNotContain("io.remora.config.Template")
                    .doesNotContain("io.remora.config.HostTemplate")
                    .doesNotContain("io.remora.engine.Host")
                    .doesNotContain("io.remora.engine.LoopHosts")
                    .doesNotContain("io.remora.http.HostName")
                    .doesNotContain("io.remora.metrics.Host")
                    .doesNotContain("io.remora.metrics.EndpointView")
                    .doesNotContain("io.remora.cluster.NodeView")
                    .doesNotContain("io.remora.route.HostPatterns")
                    .doesNotContain("io.remora.stages.DispatchByHost")
                    .doesNotContain("io.remora.trust.Cidrs")
                    .doesNotContain("java.net.DatagramSocket");
        }
    }
}
