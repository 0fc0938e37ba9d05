package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who speaks HTTP/1.1 to endpoints does not pay for HTTP/2: none of its classes is loaded. */
final class Http2BackendsOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.http1.Http1BackendProtocol");
        assertThat(classes)
                .doesNotContain("io.remora.http2.")
                .doesNotContain("io.remora.config.keys.ClusterHttp2")
                .doesNotContain("io.remora.config.model.ClusterHttp2")
                .doesNotContain("io.remora.config.yaml.ClusterHttp2")
                .doesNotContain("io.remora.metrics.BackendHttp2")
                .doesNotContain("io.netty.handler.codec.");
    }
}
