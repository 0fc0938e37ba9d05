package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has requests only, on ports, pays for nothing else: none of these classes is loaded. */
final class TcpOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.http1.Http1FrontendProtocol");
        assertThat(classes)
                .doesNotContain("io.remora.tcp.")
                .doesNotContain("io.remora.proxyprotocol.")
                .doesNotContain("io.remora.detect.")
                .doesNotContain("io.remora.config.keys.Detect")
                .doesNotContain("io.remora.config.model.Detect")
                .doesNotContain("io.remora.config.yaml.Detect")
                .doesNotContain("io.remora.cluster.Destinations")
                .doesNotContain("io.remora.config.keys.Capture")
                .doesNotContain("io.remora.config.model.Capture")
                .doesNotContain("io.remora.config.yaml.Capture")
                .doesNotContain("io.remora.transport.OriginalDestination")
                .doesNotContain("io.remora.config.text.Tcp")
                .doesNotContain("io.remora.config.yaml.Tcp")
                .doesNotContain("io.remora.config.model.Socket")
                .doesNotContain("io.remora.config.yaml.Socket")
                .doesNotContain("io.remora.transport.Domain")
                .doesNotContain("io.remora.transport.SocketFile")
                .doesNotContain("io.remora.naming.Unix")
                .doesNotContain("DomainSocket")
                .doesNotContain("java.net.UnixDomainSocketAddress");
    }
}
