package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who does not ask for HTTP/2 does not pay for it: none of its classes is loaded. */
final class Http2OffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.http1.Http1FrontendProtocol");
        assertThat(classes)
                .doesNotContain("io.remora.http2.")
                .doesNotContain("io.remora.config.keys.Http2")
                .doesNotContain("io.remora.config.model.Http2")
                .doesNotContain("io.remora.config.text.Http2")
                .doesNotContain("io.remora.config.yaml.Http2")
                .doesNotContain("io.remora.metrics.Http2")
                .doesNotContain("io.netty.handler.");
    }
}
