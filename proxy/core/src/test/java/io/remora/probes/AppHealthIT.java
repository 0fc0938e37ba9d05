package io.remora.probes;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Contract;
import io.remora.testkit.DeadPort;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probes of applications through the health listener, with an application on sockets. */
@Contract
final class AppHealthIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    /** The settings, the headers and the trailers of an HTTP/2 server's response to one call. */
    private static final String SETTINGS = "000000040000000000";

    private static final String HEADERS = "0000010104000000" + "01" + "88";
    /** A literal field, {@code grpc-status: 0}. */
    private static final String TRAILERS = "00000f0105" + "00000001" + "00" + "0b677270632d737461747573" + "0130";

    private final RecordingBackend app = RecordingBackend.start();

    @AfterEach
    void stop() {
        app.close();
    }

    private Sidecar sidecar(String probes) {
        return Sidecar.start(Setup.before(app).appProbes(json(probes)));
    }

    private String json(String probes) {
        return probes.replace('\'', '"').replace("PORT", Integer.toString(app.port()));
    }

    private static RawResponse get(Sidecar sidecar, String path) throws IOException {
        return ask(sidecar, "GET", path);
    }

    private static RawResponse ask(Sidecar sidecar, String method, String path) throws IOException {
        try (RawClient client = sidecar.healthClient().readTimeoutMs(20_000)) {
            return client.send(method + ' ' + path + " HTTP/1.1\r\nHost: pod\r\n\r\n")
                    .response(method);
        }
    }

    @Test
    void showsTheApplicationsAnswerWhereListenersRequireCertificates() throws IOException {
        app.reply("HTTP/1.1 418 Teapot\r\nContent-Length: 5\r\nSet-Cookie: a=b\r\n\r\nshort");
        String tls =
                TLS.pki().listener("client-certificates: required, " + TLS.pki().trust("ca"), "server");
        Setup setup = Setup.before(app)
                .listener(tls)
                .appProbes(json("{'web': {'readiness': {'httpGet': {'port': PORT, 'path': '/r?x=1',"
                        + " 'httpHeaders': [{'name': 'Host', 'value': 'web'}, {'name': 'X-A', 'value': 'b c'}]}}}}"));
        try (Sidecar sidecar = Sidecar.start(setup)) {
            RawResponse response = get(sidecar, "/app-health/web/readiness?y=2");
            assertThat(response.status()).isEqualTo(418);
            assertThat(response.bodyText()).isEqualTo("short");
            assertThat(response.fields().lines().toString()).doesNotContain("Set-Cookie");
            RawRequest request = app.requests().get(0);
            assertThat(request.toString())
                    .contains("GET /r?x=1 HTTP/1.1", "Host: web", "X-A: b c", "kube-probe/remora")
                    .doesNotContain("Host: 127");
        }
    }

    @Test
    void knowsOnlyWhatWasRecordedAndOnlyGet() throws IOException {
        app.replyOk();
        try (Sidecar sidecar = sidecar("{'web': {'readiness': {'httpGet': {'port': PORT}}}}")) {
            for (String path : List.of(
                    "/app-health/web/liveness",
                    "/app-health/web",
                    "/app-health/",
                    "/app-health/web/readiness/",
                    "/app-health/web/../web/readiness",
                    "/app-health/web%2freadiness",
                    "/metrics")) {
                assertThat(get(sidecar, path).status()).as(path).isEqualTo(404);
            }
            for (String method : List.of("HEAD", "PUT")) {
                RawResponse refused = ask(sidecar, method, "/app-health/web/readiness");
                assertThat(refused.status()).isEqualTo(405);
                assertThat(refused.fields().lines().toString()).contains("Allow: GET");
            }
            assertThat(app.requests()).isEmpty();
            assertThat(get(sidecar, "/ready").status()).isEqualTo(200);
            assertThat(get(sidecar, "/app-health/web/readiness").status()).isEqualTo(200);
        }
    }

    @Test
    void saysWhyTheApplicationCannotBeReached() throws IOException {
        app.neverAnswer();
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = sidecar("{'web': {'readiness': {'httpGet': {'port': " + dead.port()
                        + "}}, 'liveness': {'tcpSocket': {'port': " + dead.port()
                        + "}}, 'startup': {'httpGet': {'port': PORT}, 'timeoutSeconds': 1}}}")) {
            for (String kind : List.of("readiness", "liveness")) {
                RawResponse refused = get(sidecar, "/app-health/web/" + kind);
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.bodyText()).isEqualTo("127.0.0.1:" + dead.port() + ": Connection refused\n");
            }
            RawResponse late = get(sidecar, "/app-health/web/startup");
            assertThat(late.status()).isEqualTo(503);
            assertThat(late.bodyText()).isEqualTo("no answer within 1000 ms from 127.0.0.1:" + app.port() + "\n");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            HTTP/1.1 204 No Content\\r\\n\\r\\n                                              | 204 |
            HTTP/1.1 100 Go\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n\\r\\nto the end                 | 200 | to the end
            HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n2;x\\r\\nab\\r\\n1\\r\\nc\\r\\n0\\r\\n\\r\\n | 200 | abc
            HTTP/1.1 302 Found\\r\\nLocation: http://elsewhere.example/\\r\\nContent-Length: 0\\r\\n\\r\\n | 302 |
            HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nab                             | 503 | the connection ended within the response
            HTTP/1.1 200 OK\\r\\nContent-Length: -5\\r\\n\\r\\nab                            | 503 | the response has the number '-5'
            SSH-2.0-OpenSSH_9.2\\r\\n                                                        | 503 | the response is not HTTP/1.1
            HTTP/1.1 301 Moved\\r\\nLocation: /r\\r\\nContent-Length: 0\\r\\n\\r\\n          | 503 | more than 10 redirects
            """)
    void takesEachKindOfResponse(String octets, int status, String text) throws IOException {
        app.onRequest(connection -> {
            connection.write(octets.replace("\\r", "\r").replace("\\n", "\n"));
            connection.close();
        });
        try (Sidecar sidecar = sidecar("{'web': {'liveness': {'httpGet': {'port': PORT}}}}")) {
            RawResponse response = get(sidecar, "/app-health/web/liveness");
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.bodyText()).contains(text == null ? "" : text);
            assertThat(response.fields().lines().toString()).doesNotContain("Location");
        }
    }

    @Test
    void followsARedirectOnTheSameHost() throws IOException {
        app.onRequest(connection -> connection.write(
                app.requests().size() == 1
                        ? "HTTP/1.1 307 Away\r\nLocation: other?a=b\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 500 Bad\r\nContent-Length: 3\r\n\r\nbad"));
        try (Sidecar sidecar = sidecar("{'web': {'liveness': {'httpGet': {'port': PORT, 'path': '/a/b'}}}}")) {
            RawResponse response = get(sidecar, "/app-health/web/liveness");
            assertThat(response.status()).isEqualTo(500);
            assertThat(app.requests().get(1).toString()).contains("GET /a/other?a=b HTTP/1.1");
        }
    }

    @Test
    void passesOnAsMuchOfABodyAsAKubeletReads() throws IOException {
        app.reply("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000));
        try (Sidecar sidecar = sidecar("{'web': {'liveness': {'httpGet': {'port': PORT}}}}")) {
            assertThat(get(sidecar, "/app-health/web/liveness").bodyText()).isEqualTo("x".repeat(10 << 10));
        }
    }

    @Test
    void connectsToASocket() throws IOException {
        try (Sidecar sidecar = sidecar("{'web': {'liveness': {'tcpSocket': {'port': PORT, 'host': 'localhost'}}}}")) {
            assertThat(get(sidecar, "/app-health/web/liveness").status()).isEqualTo(200);
            assertThat(app.connections()).hasSize(1);
        }
    }

    @Test
    void takesAnyCertificateOverHttps() throws IOException {
        try (OpensslServer server = TLS.opensslServer("foreign");
                Sidecar sidecar = sidecar("{'web': {'liveness': {'httpGet': {'port': " + server.port()
                        + ", 'scheme': 'HTTPS', 'path': '/ca.crt'}, 'timeoutSeconds': 20}}}")) {
            RawResponse response = get(sidecar, "/app-health/web/liveness");
            assertThat(response.bodyText()).contains("BEGIN CERTIFICATE");
            assertThat(response.status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            00000700000000000100000000020801 | 200 | SERVING
            00000700000000000100000000020802 | 503 | the health service says not SERVING of a.B
            ''                               | 503 | the health service gives no status of a.B
            """)
    void asksGrpcsHealthService(String data, int status, String text) throws IOException {
        app.onAccept(connection -> {
            // preface, settings, head and message of the request
            byte[] preface = connection.input().readNBytes(24);
            assertThat(new String(preface, java.nio.charset.StandardCharsets.US_ASCII))
                    .startsWith("PRI * HTTP/2.0");
            connection.input().readNBytes(15);
            byte[] head = connection.input().readNBytes(9);
            connection.input().readNBytes((head[1] & 0xff) << 8 | head[2] & 0xff);
            assertThat(HexFormat.of().formatHex(connection.input().readNBytes(19)))
                    .isEqualTo("00000a000100000001" + "00000000050a03612e42");
            connection.write(HexFormat.of().parseHex(SETTINGS + HEADERS + data + TRAILERS));
            // the acknowledgement of the settings
            assertThat(HexFormat.of().formatHex(connection.input().readNBytes(9)))
                    .isEqualTo("000000040100000000");
        });
        try (Sidecar sidecar = sidecar("{'rpc': {'readiness': {'grpc': {'port': PORT, 'service': 'a.B'}}}}")) {
            RawResponse response = get(sidecar, "/app-health/rpc/readiness");
            assertThat(response.bodyText()).isEqualTo(text + "\n");
            assertThat(response.status()).isEqualTo(status);
        }
    }

    @Test
    void aFloodNeitherReachesTheApplicationNorKeepsTheKubeletFromItsAnswer() throws IOException {
        app.replyOk();
        try (Sidecar sidecar = sidecar("{'web': {'liveness': {'httpGet': {'port': PORT}}}}")) {
            List<RawClient> strangers = new ArrayList<>();
            String request = "GET /app-health/web/liveness HTTP/1.1\r\nHost: pod\r\n\r\n";
            long beganNs = System.nanoTime();
            for (int i = 0; i < 8; i++) {
                strangers.add(sidecar.healthClient().readTimeoutMs(20_000));
            }
            for (int round = 0; round < 50; round++) {
                for (RawClient one : strangers) {
                    one.send(request);
                }
                for (RawClient one : strangers) {
                    assertThat(one.response().status()).isEqualTo(200);
                }
            }
            assertThat(get(sidecar, "/app-health/web/liveness").status()).isEqualTo(200);
            strangers.forEach(RawClient::close);
            long elapsedMs = (System.nanoTime() - beganNs) / 1_000_000;
            assertThat(app.requests()).hasSizeLessThanOrEqualTo((int) (elapsedMs / 50) + 1);
        }
    }

    @Test
    void answersWhileEventLoopsStandStill() throws IOException {
        app.replyOk();
        try (Sidecar sidecar = sidecar("{'web': {'liveness': {'httpGet': {'port': PORT}}}}")) {
            sidecar.stall(
                    () -> assertThat(get(sidecar, "/app-health/web/liveness").status())
                            .isEqualTo(200));
        }
    }
}
