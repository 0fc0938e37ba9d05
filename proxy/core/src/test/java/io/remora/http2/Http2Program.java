package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Counterpart;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 and gRPC as programs of others speak and judge them. Not among the tests of each build: {@code scripts/test-h2} runs it. */
final class Http2Program {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final String H2 = "protocol: http2\n";

    private static Command run(String... words) {
        return Command.run(TLS.directory(), words);
    }

    private static String url(Sidecar sidecar) {
        return "http://127.0.0.1:" + sidecar.address().getPort() + "/";
    }

    // ---- h2spec

    /**
     * RFC 9113 and RFC 7541, by its 146 cases, the strict ones among them. Where HTTP/1 is spoken on the same port without TLS, what does not
     * begin with the preface is answered in HTTP/1, which one of the cases takes for a failure.
     */
    @ParameterizedTest
    @CsvSource({"false, http2, 0", "true, http2, 0", "false, auto, 1", "true, auto, 0", "false, detect, 0"})
    void obeysTheSpecification(boolean tls, String protocol, int failures) {
        // some cases are skipped where a response has fewer octets
        try (RecordingBackend backend =
                        RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhello, world");
                RecordingBackend others = RecordingBackend.start();
                Sidecar sidecar = Sidecar.of(yaml(tls, protocol), backend, others)) {
            List<String> words = new ArrayList<>(List.of(Counterpart.program("h2spec"), "--strict", "-h", "127.0.0.1"));
            words.addAll(List.of("-p", "" + sidecar.address().getPort()));
            if (tls) {
                words.addAll(List.of("-t", "-k"));
            }
            String told = run(words.toArray(new String[0])).output();
            assertThat(told).contains("146 tests, " + (146 - failures) + " passed, 0 skipped, " + failures + " failed");
            if (failures > 0) {
                assertThat(told).contains("Sends invalid connection preface", "looked like an HTTP/1.1 header");
            }
        }
    }

    private static String yaml(boolean tls, String protocol) {
        return """
                admin: { address: "127.0.0.1:0" }
                log-level: warn
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    protocol: PROTOCOL
                    TLS
                    DETECT
                  - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
                clusters:
                  app: { endpoints: ["127.0.0.1:${BACKEND}"] }
                  others: { protocol: tcp, endpoints: ["127.0.0.1:${BACKEND_1}"] }
                  barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
                """.replace("PROTOCOL", protocol)
                .replace("TLS", tls ? TLS.pki().listener("", "server") : "")
                .replace("DETECT", protocol.equals("detect") ? "detect: { cluster: others }" : "");
    }

    // ---- gRPC

    /** All cases of grpc-go's client that its server answers, but for those that need the credentials of a cloud. */
    @Test
    void carriesEachCaseOfGrpc() {
        String[] cases = {
            "empty_unary",
            "large_unary",
            "client_streaming",
            "server_streaming",
            "ping_pong",
            "empty_stream",
            "timeout_on_sleeping_server",
            "cancel_after_begin",
            "cancel_after_first_response",
            "status_code_and_message",
            "special_status_message",
            "custom_metadata",
            "unimplemented_method",
            "unimplemented_service"
        };
        try (Counterpart server = Counterpart.grpcServer(TLS.directory());
                Sidecar sidecar =
                        Sidecar.start(Setup.at(server.port()).listener(H2).cluster(H2))) {
            for (String one : cases) {
                Command client = run(
                        Counterpart.program("grpc-client"),
                        "-server_host=127.0.0.1",
                        "-server_port=" + sidecar.address().getPort(),
                        "-test_case=" + one);
                assertThat(client.status()).as(one + ": " + client.output()).isZero();
            }
            assertThat(sidecar.metrics().sum("remora_grpc_calls_total")).isPositive();
        }
    }

    // ---- nghttp2 and curl

    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void answersManyStreamsOfH2load(int connections) {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend, H2, "")) {
            Command load = run("h2load", "-n", "4000", "-c", "" + connections, "-m", "16", url(sidecar));
            assertThat(load.good()).contains("4000 succeeded, 0 failed, 0 errored, 0 timeout", "4000 2xx");
        }
    }

    @Test
    void answersNghttpAndCurl() {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend, H2, "")) {
            assertThat(run("nghttp", url(sidecar)).good()).isEqualTo("ok");
            assertThat(run("nghttp", "-v", "-H", "a: b", "-d", "/etc/hostname", url(sidecar))
                            .good())
                    .contains(":status: 200");
            assertThat(run("curl", "-s", "--http2-prior-knowledge", "-w", "%{http_version}", url(sidecar))
                            .good())
                    .isEqualTo("ok2");
            assertThat(backend.requests()).hasSize(3).last().matches(one -> one.method()
                    .equals("GET"));
        }
    }

    // ---- curl and nghttp over TLS, by ALPN

    private static Sidecar protectedBy(RecordingBackend backend) {
        return Sidecar.start(Setup.before(backend).listener(TLS.pki().listener("", "server") + "\nprotocol: auto"));
    }

    /** What it says of the response's heads and content, and the version and the status at the end. */
    private static String curl(Sidecar sidecar, String... options) {
        int port = sidecar.address().getPort();
        List<String> words = new ArrayList<>(List.of("curl", "-sS", "--http2", "--cacert", "ca.crt", "-D", "-"));
        words.addAll(List.of("--resolve", "localhost:" + port + ":127.0.0.1", "-w", " %{http_version} %{http_code}"));
        words.addAll(List.of(options));
        words.add("https://localhost:" + port + "/");
        return run(words.toArray(new String[0])).good();
    }

    private static String file(String name, int octets) throws IOException {
        Path file = TLS.directory().resolve(name);
        byte[] content = new byte[octets];
        new Random(octets).nextBytes(content);
        Files.write(file, content);
        return file.toString();
    }

    @Test
    void curlUploads() throws IOException {
        String file = file("upload", 1 << 20);
        byte[] content = Files.readAllBytes(Path.of(file));
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = protectedBy(backend)) {
            assertThat(curl(sidecar, "-T", file)).startsWith("HTTP/2 200").endsWith("ok 2 200");
            // without a length
            assertThat(curl(sidecar, "-X", "POST", "-H", "Content-Length:", "-T", file))
                    .endsWith("ok 2 200");
            assertThat(backend.requests()).hasSize(2);
            for (RawRequest one : backend.requests()) {
                assertThat(Arrays.equals(one.body(), content)).isTrue();
            }
            assertThat(backend.requests()).extracting(RawRequest::method).containsExactly("PUT", "POST");
        }
    }

    @Test
    void curlAsksByHead() {
        try (RecordingBackend backend =
                        RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nX-A: b\r\n\r\n");
                Sidecar sidecar = protectedBy(backend)) {
            assertThat(curl(sidecar, "--head"))
                    .contains("content-length: 1234", "x-a: b")
                    .endsWith(" 2 200");
            assertThat(curl(sidecar, "--head")).endsWith(" 2 200");
            assertThat(backend.requests()).hasSize(2).allMatch(one -> one.method()
                    .equals("HEAD"));
        }
    }

    @Test
    void curlHearsInterimResponsesAndTrailers() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().onRequest(connection -> {
                    RawRequest head = connection.readHead();
                    assertThat(head.field("Expect")).isEqualTo("100-continue");
                    connection.write("HTTP/1.1 100 Continue\r\n\r\n");
                    connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
                    connection.input().readNBytes(Integer.parseInt(String.valueOf(head.field("Content-Length"))));
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n");
                    connection.write("2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n");
                });
                Sidecar sidecar = protectedBy(backend)) {
            assertThat(curl(sidecar, "-H", "Expect: 100-continue", "--data-binary", "@" + file("large", 1 << 20)))
                    .startsWith("HTTP/2 100")
                    .containsSubsequence("HTTP/2 103", "link: </a>", "HTTP/2 200", "ok", "x-sum: 42", " 2 200");
            assertThat(backend.problems()).isEmpty();
        }
    }

    /** Once the response is whole nobody has to send the rest (RFC 9113 8.1). */
    @Test
    void curlIsAnsweredBeforeItHasSentAll() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().onRequest(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone");
                    connection.close();
                });
                Sidecar sidecar = protectedBy(backend)) {
            String file = file("endless", 16 << 20);
            assertThat(curl(sidecar, "--data-binary", "@" + file)).endsWith("none 2 413");
            backend.replyOk();
            assertThat(curl(sidecar)).endsWith("ok 2 200");
        }
    }

    @Test
    void nghttpSendsTrailers() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = protectedBy(backend)) {
            String url = "https://127.0.0.1:" + sidecar.address().getPort() + "/";
            String told = run(
                            "nghttp",
                            "-nv",
                            "--no-content-length",
                            "--trailer=x-sum: 42",
                            "-d",
                            file("body", 100_000),
                            url)
                    .good();
            assertThat(told).contains("The negotiated protocol: h2", ":status: 200");
            RawRequest request = backend.requests().get(0);
            assertThat(request.body()).hasSize(100_000);
            assertThat(request.trailers().first("x-sum")).isEqualTo("42");
        }
    }
}
