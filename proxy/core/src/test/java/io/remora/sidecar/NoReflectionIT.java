package io.remora.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a sidecar takes in each start if nobody looks: the JDK reads annotations, or links the methods of records, by classes that
 * it generates, and that no archive of classes can hold.
 */
final class NoReflectionIT {
    private static final String RECORDS = "java.lang.runtime.ObjectMethods";
    private static final String ANNOTATIONS = "java.lang.Class$AnnotationData";

    @TempDir
    private Path directory;

    @Test
    void noneInAPlainSidecar() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start("plain", Setup.before(backend).process("log-level: info"));
                RawClient client = sidecar.client();
                RawClient admin = sidecar.adminClient()) {
            assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
            admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(admin.response().status()).isEqualTo(200);
            sidecar.endsWell();
        }
        assertThat(loaded("plain"))
                .contains("io.remora.Proxy ")
                .doesNotContain(RECORDS)
                .doesNotContain(ANNOTATIONS);
    }

    @Test
    void noneWithARateLimitOnSeveralLoops() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk()) {
            Setup setup = Setup.before(backend)
                    .listener("rate-limits: [{ rate: 100/s, by: client }]")
                    .process("log-level: info\nworkers: 2");
            try (SidecarProcess sidecar = start("limited", setup);
                    RawClient client = sidecar.client()) {
                assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
                sidecar.endsWell();
            }
        }
        assertThat(loaded("limited"))
                .contains("io.remora.feature.ratelimit.BucketTable")
                .doesNotContain(RECORDS)
                .doesNotContain(ANNOTATIONS);
    }

    @Test
    void noneWithTracesAndAnAdaptiveBound() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk()) {
            Setup setup = Setup.before(backend)
                    .listener("admission: { adaptive: {} }")
                    .process("log-level: info\ntracing: { sample: 1, export: { cluster: app } }");
            try (SidecarProcess sidecar = start("traced", setup);
                    RawClient client = sidecar.client()) {
                assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
                sidecar.endsWell();
            }
        }
        assertThat(loaded("traced"))
                .contains("io.remora.feature.tracing.Tracers", "io.remora.exchange.AdaptiveLimit")
                .doesNotContain(RECORDS)
                .doesNotContain(ANNOTATIONS);
    }

    @Test
    void noneOverHttp2OnEitherSide() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk()) {
            Setup taking = Setup.before(backend).listener("protocol: http2").process("log-level: info\nvia: taking");
            try (SidecarProcess behind = start("taking", taking)) {
                Setup sending = Setup.at(behind.address().getPort())
                        .cluster("protocol: http2")
                        .process("log-level: info\nvia: sending");
                try (SidecarProcess before = start("sending", sending);
                        RawClient client = before.client()) {
                    assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
                    before.endsWell();
                }
                behind.endsWell();
            }
        }
        assertThat(loaded("taking"))
                .contains("io.remora.http2.FrontendHandler")
                .doesNotContain(RECORDS)
                .doesNotContain(ANNOTATIONS);
        assertThat(loaded("sending"))
                .contains("io.remora.http2.BackendHandler")
                .doesNotContain(RECORDS)
                .doesNotContain(ANNOTATIONS);
    }

    private SidecarProcess start(String name, Setup setup) throws IOException {
        Path own = Files.createDirectory(directory.resolve(name));
        String log = "-Xlog:class+load:file=" + own.resolve("loaded.txt");
        return SidecarProcess.start(own, List.of(), List.of(log), setup);
    }

    private String loaded(String name) throws IOException {
        return Files.readString(directory.resolve(name).resolve("loaded.txt"));
    }
}
