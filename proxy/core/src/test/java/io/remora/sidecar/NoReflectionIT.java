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
import org.junit.jupiter.api.AutoClose;
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

    @AutoClose
    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @Test
    void noneInAPlainSidecar() throws IOException {
        try (SidecarProcess sidecar = start("plain", Setup.before(backend).process("log-level: info"));
                RawClient client = served(sidecar);
                RawClient admin = sidecar.adminClient()) {
            admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(admin.response().status()).isEqualTo(200);
            sidecar.endsWell();
            assertThat(client.closedByPeer()).isTrue();
        }
        generatedNothing("plain", "io.remora.Proxy ");
    }

    @Test
    void noneWithARateLimitOnSeveralLoops() throws IOException {
        servesAndEnds(
                "limited",
                Setup.before(backend)
                        .listener("rate-limits: [{ rate: 100/s, by: client }]")
                        .process("log-level: info\nworkers: 2"));
        generatedNothing("limited", "io.remora.feature.ratelimit.BucketTable");
    }

    @Test
    void noneWithTracesAndAnAdaptiveBound() throws IOException {
        servesAndEnds(
                "traced",
                Setup.before(backend)
                        .listener("admission: { adaptive: {} }")
                        .process("log-level: info\ntracing: { sample: 1, export: { cluster: app } }"));
        generatedNothing("traced", "io.remora.feature.tracing.Tracers", "io.remora.exchange.AdaptiveLimit");
    }

    @Test
    void noneOverHttp2OnEitherSide() throws IOException {
        Setup taking = Setup.before(backend).listener("protocol: http2").process("log-level: info\nvia: taking");
        try (SidecarProcess behind = start("taking", taking)) {
            servesAndEnds(
                    "sending",
                    Setup.at(behind.address().getPort())
                            .cluster("protocol: http2\ntimeouts: { connect: 30s }")
                            .process("log-level: info\nvia: sending"));
            behind.endsWell();
        }
        generatedNothing("taking", "io.remora.http2.FrontendHandler");
        generatedNothing("sending", "io.remora.http2.BackendHandler");
    }

    private SidecarProcess start(String name, Setup setup) throws IOException {
        Path own = Files.createDirectory(directory.resolve(name));
        String log = "-Xlog:class+load:file=" + own.resolve("loaded.txt");
        return SidecarProcess.start(own, List.of(), List.of(log), setup);
    }

    /** A client that has got an answer, and stays connected. */
    private static RawClient served(SidecarProcess sidecar) throws IOException {
        RawClient client = sidecar.client();
        assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
        return client;
    }

    private void servesAndEnds(String name, Setup setup) throws IOException {
        try (SidecarProcess sidecar = start(name, setup);
                RawClient client = served(sidecar)) {
            sidecar.endsWell();
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    /** It has loaded these classes of its own, and none that the JDK generates. */
    private void generatedNothing(String name, String... own) throws IOException {
        assertThat(Files.readString(directory.resolve(name).resolve("loaded.txt")))
                .contains(own)
                .doesNotContain(RECORDS)
                .doesNotContain(ANNOTATIONS);
    }
}
