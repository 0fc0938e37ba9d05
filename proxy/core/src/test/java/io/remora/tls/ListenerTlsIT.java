package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Metrics;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener with TLS, before curl and openssl's client. */
@EveryEngine
final class ListenerTlsIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @BeforeAll
    static void certificates() {
        TLS.pki()
                .authorityBelow("ca", "middle")
                .issue("ca", "rsa", "DNS:rsa.test", Pki.RSA, 30)
                .issue("ca", "ed25519", "DNS:ed25519.test", Pki.ED25519, 30)
                .issue("ca", "wild", "DNS:*.wild.test")
                .issue("ca", "exact", "DNS:exact.wild.test")
                .issue("ca", "dotted", "DNS:Dotted.test.,DNS:*.dots.test.")
                .issue("middle", "leaf", "DNS:leaf.test")
                .join("chain", "leaf", "middle")
                .issue("ca", "late", "URI:spiffe://mesh/ns/a/sa/late", Pki.P256, -1)
                .issueFor("ca", "misused", "URI:spiffe://mesh/ns/a/sa/c", "serverAuth")
                .issue("other", "stranger", "URI:spiffe://mesh/ns/a/sa/client");
        copy("leaf.key", "chain.key");
    }

    private static void copy(String from, String to) {
        try {
            Files.copy(TLS.pki().path(from), TLS.pki().path(to));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private Sidecar sidecar(String more, String... certificates) {
        return TLS.listening(backend, more, certificates);
    }

    // ---- what is agreed on

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void speaksBothVersions(String version) {
        try (Sidecar sidecar = sidecar("", "server")) {
            String both = "--tlsv" + version;
            assertThat(TLS.curl(sidecar, "localhost", "/", both, "--tls-max", version)
                            .good())
                    .isEqualTo("ok");
            assertThat(backend.requests()).singleElement().satisfies(request -> {
                assertThat(request.field("X-Forwarded-Proto")).isEqualTo("https");
                assertThat(request.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
            });
        }
    }

    @Test
    void aProxyHeaderComesBeforeTheHandshake() {
        String listener = TLS.pki().listener("", "server") + "\nproxy-protocol: { from: [127.0.0.1] }";
        try (Sidecar sidecar = Sidecar.start(Setup.before(backend).listener(listener))) {
            assertThat(TLS.curl(sidecar, "localhost", "/", "--haproxy-protocol").good())
                    .isEqualTo("ok");
            assertThat(TLS.curl(sidecar, "localhost", "/").status()).isNotZero();
            Metrics metrics = sidecar.metrics();
            assertThat(metrics.sum("remora_proxy_headers_total", "outcome", "taken"))
                    .isEqualTo(1);
            assertThat(metrics.sum("remora_proxy_headers_total", "outcome", "refused"))
                    .isEqualTo(1);
            assertThat(metrics.sum("remora_tls_handshakes_total")).isEqualTo(1);
        }
    }

    @Test
    void keepsToItsLeastVersion() {
        try (Sidecar sidecar = sidecar("min-version: 1.3", "server")) {
            assertThat(TLS.curl(sidecar, "localhost", "/").good()).isEqualTo("ok");
            Command refused = TLS.curl(sidecar, "localhost", "/", "--tls-max", "1.2");
            assertThat(refused.status()).isEqualTo(35);
            assertThat(refused.output()).contains("protocol version");
        }
    }

    @Test
    void hasNoOlderVersion() {
        try (Sidecar sidecar = sidecar("", "server")) {
            Command refused = TLS.opensslClient(sidecar, "", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0");
            assertThat(refused.status()).isNotZero();
            assertThat(refused.output()).contains("alert protocol version");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-tls1_3, TLS_CHACHA20_POLY1305_SHA256, TLS_CHACHA20_POLY1305_SHA256",
        "-tls1_2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, ECDHE-ECDSA-AES256-GCM-SHA384"
    })
    void agreesOnTheConfiguredCipher(String version, String configured, String named) {
        String ciphers = "ciphers: [TLS_CHACHA20_POLY1305_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]";
        assertThat(ciphers).contains(configured);
        try (Sidecar sidecar = sidecar(ciphers, "server")) {
            assertThat(TLS.opensslClient(sidecar, "", version).good()).contains("Cipher is " + named);
        }
    }

    @Test
    void agreesOnHttp1() {
        try (Sidecar sidecar = sidecar("", "server")) {
            assertThat(TLS.opensslClient(sidecar, "", "-alpn", "h2,http/1.1").good())
                    .contains("ALPN protocol: http/1.1");
            assertThat(TLS.opensslClient(sidecar, "").good()).contains("No ALPN negotiated");
            Command refused = TLS.opensslClient(sidecar, "", "-alpn", "h2");
            assertThat(refused.status()).isNotZero();
            assertThat(refused.output()).contains("no application protocol");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "rsa.test, CN = rsa",
        "ed25519.test, CN = ed25519",
        "a.wild.test, CN = wild",
        "exact.wild.test, CN = exact",
        "a.b.wild.test, CN = server",
        "leaf.test, CN = leaf",
        "dotted.test, CN = dotted",
        "a.dots.test, CN = dotted",
        "unknown.test, CN = server"
    })
    void choosesTheCertificateByName(String name, String subject) {
        try (Sidecar sidecar = sidecar("", "server", "rsa", "ed25519", "wild", "exact", "chain", "dotted")) {
            for (String version : List.of("-tls1_2", "-tls1_3")) {
                Command shaken = TLS.opensslClient(sidecar, "", version, "-servername", name);
                assertThat(shaken.good()).contains("subject=" + subject).contains("Verify return code: 0 (ok)");
            }
        }
    }

    /** The JDK's engine reads the name by itself, and takes none with a dot at its end. */
    @ParameterizedTest
    @CsvSource({"rsa.test., CN = rsa", "A.wild.test., CN = wild", "exact.wild.test., CN = exact", "., CN = server"})
    void choosesTheCertificateByANameWithADotAtItsEnd(String name, String subject) {
        try (Sidecar sidecar = sidecar("", "server", "rsa", "ed25519", "wild", "exact", "chain")) {
            for (String version : List.of("-tls1_2", "-tls1_3")) {
                Command shaken = TLS.opensslClient(sidecar, "", version, "-servername", name);
                if (OpenSslProvider.load() == null) {
                    assertThat(shaken.status()).isNotZero();
                    assertThat(shaken.output()).contains("alert illegal parameter");
                } else {
                    assertThat(shaken.good()).contains("subject=" + subject);
                }
            }
        }
    }

    @Test
    void showsItsFirstCertificateWithoutAName() {
        try (Sidecar sidecar = sidecar("", "server", "rsa")) {
            assertThat(TLS.opensslClient(sidecar, "", "-noservername").good()).contains("subject=CN = server");
        }
    }

    /** The JDK's engine gives tickets of TLS 1.3 only: one of TLS 1.2 cannot be kept from being renewed for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void resumesByTickets(String version) throws IOException {
        boolean resumes = OpenSslProvider.load() != null || version.equals("-tls1_3");
        Path session = TLS.pki().path("session" + version);
        try (Sidecar sidecar = sidecar("", "server", "wild");
                Sidecar other = sidecar("", "server", "wild")) {
            // a ticket of TLS 1.3 comes behind the handshake
            String[] keep = {version, "-servername", "localhost", "-sess_out", session.toString(), "-ign_eof"};
            String request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            TLS.opensslClient(sidecar, request, keep).good();
            String[] again = {version, "-servername", "localhost", "-sess_in", session.toString()};
            if (!Files.exists(session)) {
                assertThat(resumes).isFalse();
                return;
            }
            assertThat(TLS.opensslClient(sidecar, "", again).good()).contains(resumes ? "Reused, " : "New, ");
            assertThat(TLS.opensslClient(other, "", again).good()).contains("New, ");
            again[2] = "a.wild.test";
            assertThat(TLS.opensslClient(sidecar, "", again).good()).contains("New, ");
        }
    }

    @Test
    void refusesToRenegotiate() {
        try (Sidecar sidecar = sidecar("", "server")) {
            // "R" on a line of its own asks for it
            Command refused = Command.run(
                    TLS.directory(),
                    "sh",
                    "-c",
                    "(sleep 0.3; echo R; sleep 0.5) | openssl s_client -tls1_2 -connect 127.0.0.1:"
                            + sidecar.address().getPort());
            assertThat(refused.output()).contains("RENEGOTIATING").doesNotContain("read R BLOCK");
            assertThat(TLS.curl(sidecar, "localhost", "/").good()).isEqualTo("ok");
        }
    }

    // ---- clients' certificates

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void requiresACertificate(String version) {
        String more = "client-certificates: required, " + TLS.pki().trust("ca");
        try (Sidecar sidecar = sidecar(more, "server")) {
            assertThat(TLS.curl(sidecar, "localhost", "/", with("client", version))
                            .good())
                    .isEqualTo("ok");
            String[] none = {"--tls-max", version};
            Command refused = TLS.curl(sidecar, "localhost", "/", none);
            assertThat(refused.status()).isNotZero();
            assertThat(refused.output()).contains("alert");
            for (String bad : List.of("stranger", "late", "misused")) {
                refused = TLS.curl(sidecar, "localhost", "/", with(bad, version));
                assertThat(refused.status()).as(bad).isNotZero();
                // curl's own words for the alert certificate_expired
                assertThat(refused.output()).as(bad).containsAnyOf("alert", "certificate verification failed");
            }
            assertThat(backend.requests()).hasSize(1);
            assertThat(sidecar.count(Count.EXCHANGES_STARTED)).isOne();
        }
    }

    private static String[] with(String certificate, String version) {
        return Certificates.showing(certificate, "--tls-max", version);
    }

    @Test
    void takesWhoShowsNoneWhereThatIsOptional() {
        String more = "client-certificates: optional, " + TLS.pki().trust("ca");
        try (Sidecar sidecar = sidecar(more, "server")) {
            assertThat(TLS.curl(sidecar, "localhost", "/").good()).isEqualTo("ok");
            assertThat(TLS.curl(sidecar, "localhost", "/", with("client", "1.3"))
                            .good())
                    .isEqualTo("ok");
            assertThat(TLS.curl(sidecar, "localhost", "/", with("stranger", "1.3"))
                            .status())
                    .isNotZero();
        }
    }

    // ---- traffic

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void keepsConnections(String version) {
        try (Sidecar sidecar = sidecar("", "server")) {
            String url = "https://localhost:" + sidecar.address().getPort() + "/";
            Command three = TLS.curl(sidecar, "localhost", "/", "--tls-max", version, url, url);
            assertThat(three.good()).isEqualTo("okokok");
            assertThat(sidecar.count(Count.CONNECTIONS_ACCEPTED)).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void movesLargeBodies(String version) throws IOException {
        byte[] body = new byte[20_000_003];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31 + (i >> 13));
        }
        Files.write(TLS.pki().path("body"), body);
        backend.onRequest(connection -> {
            byte[] got = connection.readRequest().body();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + got.length + "\r\n\r\n");
            connection.write(got);
        });
        try (Sidecar sidecar = sidecar("", "server")) {
            String[] options = {"--tls-max", version, "--data-binary", "@body", "--output", "echo"};
            TLS.curl(sidecar, "localhost", "/", options).good();
            assertThat(Files.mismatch(TLS.pki().path("body"), TLS.pki().path("echo")))
                    .isEqualTo(-1);
            String[] chunked = {
                "--tls-max", version, "-H", "Transfer-Encoding: chunked", "--data-binary", "@body", "--output", "echo"
            };
            TLS.curl(sidecar, "localhost", "/", chunked).good();
            assertThat(Files.mismatch(TLS.pki().path("body"), TLS.pki().path("echo")))
                    .isEqualTo(-1);
        }
    }

    @Test
    void answersPlainHttpInItsOwnWords() throws IOException {
        try (Sidecar sidecar = sidecar("", "server");
                RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response()).satisfies(response -> {
                assertThat(response.status()).isEqualTo(400);
                assertThat(response.bodyText()).contains("https");
            });
            assertThat(client.closedByPeer()).isTrue();
            assertThat(backend.requests()).isEmpty();
            assertThat(failures(sidecar, "plain-http")).isOne();
        }
    }

    @Test
    void refusesWhatIsNoTls() throws IOException {
        try (Sidecar sidecar = sidecar("", "server");
                RawClient noise = sidecar.client();
                RawClient sslV2 = sidecar.client();
                RawClient huge = sidecar.client()) {
            noise.send(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8});
            noise.shutdownOutputQuietly();
            noise.readToEnd();
            sslV2.send(new byte[] {(byte) 0x80, 0x2e, 1, 3, 1});
            sslV2.shutdownOutputQuietly();
            sslV2.readToEnd();
            huge.send(new byte[] {22, 3, 1, (byte) 0xff, (byte) 0xff, 1});
            huge.shutdownOutputQuietly();
            huge.readToEnd();
            assertThat(TLS.curl(sidecar, "localhost", "/").good()).isEqualTo("ok");
        }
    }

    // ---- handshakes that do not end, and many

    @Test
    void cutsASlowHandshake() throws IOException {
        try (Sidecar sidecar = sidecar("handshake-timeout: 300ms", "server");
                RawClient silent = sidecar.client();
                RawClient half = sidecar.client()) {
            half.send(new byte[] {22, 3, 1, 1, 0, 1, 0});
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(half.closedByPeer()).isTrue();
            assertThat(sidecar.count(Count.EXCHANGES_STARTED)).isZero();
            Await.until("counted", () -> failures(sidecar, "timeout") == 2);
        }
    }

    private static long failures(Sidecar sidecar, String reason) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "reason", reason);
    }

    @Test
    void boundsHandshakesInFlight() throws IOException {
        try (Sidecar sidecar = sidecar("handshakes-in-flight: 2", "server")) {
            try (RawClient first = sidecar.client();
                    RawClient second = sidecar.client()) {
                first.send(new byte[] {22, 3});
                second.send(new byte[] {22, 3});
                sidecar.barrier();
                try (RawClient third = sidecar.client().send(new byte[] {22, 3})) {
                    assertThat(third.closedByPeer()).isTrue();
                    assertThat(failures(sidecar, "busy")).isOne();
                }
            }
            Await.until(
                    "there is room again",
                    () -> TLS.curl(sidecar, "localhost", "/").status() == 0);
        }
    }

    /** Plain HTTP is no handshake: it neither finds too many of them nor ends another client's. */
    @Test
    void answersPlainHttpHoweverManyHandshakesAreInFlight() throws IOException {
        try (Sidecar sidecar = sidecar("handshakes-in-flight: 2", "server");
                RawClient first = sidecar.client().send(new byte[] {22, 3});
                RawClient second = sidecar.client().send(new byte[] {22, 3})) {
            sidecar.barrier();
            for (String source : List.of("127.0.0.1", "127.0.0.2")) {
                try (RawClient plain = RawClient.connectFrom(source, sidecar.address())) {
                    plain.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
                    assertThat(plain.response().status()).isEqualTo(400);
                }
            }
            assertThat(failures(sidecar, "plain-http")).isEqualTo(2);
            assertThat(failures(sidecar, "busy")).isZero();
            assertThat(first.readTimeoutMs(100).closedByPeer()).isFalse();
            assertThat(second.readTimeoutMs(100).closedByPeer()).isFalse();
        }
    }

    /** TLS 1.2 ends both directions at once; the exchange ends with the connection, and nothing is left of it. */
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void outlivesAClientThatEndsBeforeItsResponse(String version) {
        CountDownLatch ended = new CountDownLatch(1);
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.waitFor(() -> assertThat(awaits(ended)).isTrue());
            connection.write(RecordingBackend.OK);
        });
        try (Sidecar sidecar = sidecar("", "server")) {
            Command early = TLS.opensslClient(sidecar, "GET / HTTP/1.1\r\nHost: app\r\n\r\n", version);
            assertThat(early.output()).doesNotContain("HTTP/1.1 200");
            ended.countDown();
            sidecar.awaitIdle();
            assertThat(TLS.curl(sidecar, "localhost", "/").good()).isEqualTo("ok");
        }
    }

    private static boolean awaits(CountDownLatch latch) {
        try {
            return latch.await(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shakesManyHands() throws IOException {
        try (Sidecar sidecar = sidecar("", "server")) {
            Command timed = Command.run(
                    TLS.directory(),
                    "openssl",
                    "s_time",
                    "-connect",
                    "127.0.0.1:" + sidecar.address().getPort(),
                    "-www",
                    "/",
                    "-new",
                    "-time",
                    "3");
            assertThat(timed.good()).contains("connections in");
            assertThat(sidecar.count(Count.EXCHANGES_FINISHED)).isGreaterThan(50);
        }
    }
}
