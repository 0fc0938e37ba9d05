package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Failure;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2 with clients of others: by ALPN (RFC 9113 section 3.2), by prior knowledge, and judged by h2spec where that is installed. */
final class Http2TlsIT {
    /** All that h2spec has. */
    private static final String ALL_PASSED = "146 tests, 146 passed, 0 skipped, 0 failed";

    /** Without content that fills a window one of them is skipped. */
    private static final String LONG_ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n" + "x".repeat(1_024);

    /** What curl ends with then. */
    private static final int TIMED_OUT = 28;

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @TempDir
    Path directory;

    private static Sidecar protectedBy(RecordingBackend backend, String protocol) {
        return Sidecar.start(
                Setup.before(backend).listener(TLS.pki().listener("", "server") + "\nprotocol: " + protocol));
    }

    private Command curl(Sidecar sidecar, String scheme, String... options) {
        int port = sidecar.address().getPort();
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--cacert"));
        command.add(TLS.pki().path("ca.crt").toString());
        command.addAll(List.of("--resolve", "localhost:" + port + ":127.0.0.1"));
        command.addAll(List.of("--write-out", " %{http_version} %{http_code}"));
        command.addAll(List.of(options));
        command.add(scheme + "://localhost:" + port + "/");
        return Command.run(directory, command.toArray(new String[0]));
    }

    @Test
    void alpnChoosesWhatTheClientPrefers() {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = protectedBy(backend, "auto")) {
            assertThat(curl(sidecar, "https", "--http2").output()).isEqualTo("ok 2 200");
            assertThat(curl(sidecar, "https", "--http1.1").output()).isEqualTo("ok 1.1 200");
            assertThat(curl(sidecar, "https", "--no-alpn").output()).isEqualTo("ok 1.1 200");
            assertThat(backend.requests().get(0).field("X-Forwarded-Proto")).isEqualTo("https");
        }
    }

    @Test
    void listenerOfHttp2AloneOffersNothingElse() {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = protectedBy(backend, "http2")) {
            assertThat(curl(sidecar, "https", "--http2").output()).isEqualTo("ok 2 200");
            assertThat(curl(sidecar, "https", "--http1.1").status()).isNotZero();
        }
    }

    /** RFC 9113 3.2: with TLS it takes ALPN, whatever else a client knows. */
    @Test
    void priorKnowledgeIsNotEnoughWithTls() {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = protectedBy(backend, "http2")) {
            assertThat(curl(sidecar, "https", "--no-alpn", "--http2-prior-knowledge")
                            .output())
                    .doesNotContain(" 200");
            assertThat(curl(sidecar, "https", "--http2").output()).isEqualTo("ok 2 200");
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void priorKnowledgeWithoutTls() {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend, "protocol: auto", "")) {
            assertThat(curl(sidecar, "http", "--http2-prior-knowledge").output())
                    .isEqualTo("ok 2 200");
            assertThat(curl(sidecar, "http", "--http1.1").output()).isEqualTo("ok 1.1 200");
            // an upgrade is not offered
            assertThat(curl(sidecar, "http", "--http2").output()).isEqualTo("ok 1.1 200");
        }
    }

    @Test
    void curlThatGivesUpIsNoticed() {
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.neverAnswer();
            try (Sidecar sidecar = protectedBy(backend, "auto")) {
                givesUp(sidecar, "https", "--http2");
            }
            try (Sidecar sidecar = Sidecar.before(backend, "protocol: auto", "")) {
                givesUp(sidecar, "http", "--http2-prior-knowledge");
            }
        }
    }

    private void givesUp(Sidecar sidecar, String scheme, String option) {
        assertThat(curl(sidecar, scheme, option, "--max-time", "0.5").status()).isEqualTo(TIMED_OUT);
        sidecar.awaitIdle();
        assertThat(sidecar.metrics().sum("remora_failures_total", "failure", Failure.CLIENT_GONE.label()))
                .isOne();
    }

    @Test
    void largeBodiesOfCurl() throws IOException {
        int size = 3 << 20;
        Path file = directory.resolve("body");
        Files.write(file, new byte[size]);
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.onRequest(connection -> {
                int length = connection.readRequest().body().length;
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                connection.write(new byte[length]);
            });
            try (Sidecar sidecar = protectedBy(backend, "auto")) {
                Path out = directory.resolve("out");
                Command curl =
                        curl(sidecar, "https", "--http2", "--data-binary", "@" + file, "--output", out.toString());
                assertThat(curl.output()).isEqualTo(" 2 200");
                assertThat(Files.size(out)).isEqualTo(size);
            }
        }
    }

    // ---- h2spec

    private Command h2spec(Sidecar sidecar, String... options) {
        List<String> command = new ArrayList<>(List.of("h2spec", "--strict", "-h", "127.0.0.1"));
        command.addAll(List.of("-p", Integer.toString(sidecar.address().getPort())));
        command.addAll(List.of(options));
        return Command.run(directory, command.toArray(new String[0]));
    }

    private static boolean hasH2spec() {
        for (String place : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(place, "h2spec"))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void h2specWithoutTls() {
        assumeTrue(hasH2spec(), "h2spec is not installed");
        try (RecordingBackend backend = RecordingBackend.start().reply(LONG_ANSWER);
                Sidecar sidecar = Sidecar.before(backend, "protocol: http2", "")) {
            assertThat(h2spec(sidecar).output()).contains(ALL_PASSED);
        }
    }

    @Test
    void h2specWithTls() {
        assumeTrue(hasH2spec(), "h2spec is not installed");
        try (RecordingBackend backend = RecordingBackend.start().reply(LONG_ANSWER);
                Sidecar sidecar = protectedBy(backend, "auto")) {
            assertThat(h2spec(sidecar, "-t", "-k").output()).contains(ALL_PASSED);
        }
    }
}
