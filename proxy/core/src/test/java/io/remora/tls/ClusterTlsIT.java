package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Count;
import io.remora.testkit.CuttingRelay;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Nginx;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster with TLS: nginx and openssl's server as its endpoints. */
@EveryEngine
final class ClusterTlsIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";
    private static final String ECHO =
            "location / { return 200 \"$ssl_protocol|$ssl_server_name|$ssl_alpn_protocol|$ssl_client_s_dn\"; }";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static Nginx nginx;
    private static int good;
    private static int old;
    private static int young;
    private static int asks;
    private static int files;
    private static int impatient;
    private static int named;
    private static int wild;
    private static int twice;
    private static int foreign;
    private static int expired;
    private static int common;
    private static int misused;
    private static int selfSigned;

    @BeforeAll
    static void start() {
        TLS.pki()
                .issue("ca", "named", "URI:spiffe://mesh/ns/a/sa/app")
                .issue("ca", "wild", "DNS:*.wild.test")
                .issue("ca", "twice", "URI:spiffe://mesh/ns/a/sa/app,URI:spiffe://mesh/ns/a/sa/other")
                .issue("ca", "expired", "DNS:app.test", Pki.P256, -1)
                .issueFor("ca", "misused", "DNS:app.test", "clientAuth")
                .selfSigned("self", "DNS:app.test");
        nginx = new Nginx(TLS.directory());
        good = server("app", ECHO);
        old = server("app", "ssl_protocols TLSv1.2; " + ECHO);
        young = server("app", "ssl_protocols TLSv1.3; " + ECHO);
        asks = server(
                "app",
                "ssl_verify_client on; ssl_client_certificate " + TLS.pki().path("ca.crt") + "; " + ECHO);
        files = server("app", "dav_methods PUT;");
        impatient = server("app", "keepalive_timeout 300ms; " + ECHO);
        named = server("named", ECHO);
        wild = server("wild", ECHO);
        twice = server("twice", ECHO);
        foreign = server("foreign", ECHO);
        expired = server("expired", ECHO);
        common = server("common", ECHO);
        misused = server("misused", ECHO);
        selfSigned = server("self", ECHO);
        nginx.start();
    }

    private static int server(String certificate, String more) {
        return nginx.server(TLS.pki().path(certificate + ".crt"), TLS.pki().path(certificate + ".key"), more);
    }

    @AfterAll
    static void stop() {
        nginx.close();
    }

    private static String app() {
        return TLS.pki().trust("ca") + ", server-name: app.test";
    }

    private static RawResponse get(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(GET).response();
        }
    }

    // ---- what is agreed on

    @Test
    void speaksBothVersionsAndNamesWhomItWants() throws IOException {
        for (int port : new int[] {old, young}) {
            try (Sidecar sidecar = TLS.before(port, app())) {
                String version = port == old ? "TLSv1.2" : "TLSv1.3";
                assertThat(get(sidecar).bodyText()).isEqualTo(version + "|app.test|http/1.1|");
            }
        }
    }

    @Test
    void keepsToItsLeastVersion() throws IOException {
        try (Sidecar sidecar = TLS.before(old, app() + ", min-version: 1.3")) {
            assertRefused(sidecar, old);
        }
    }

    @Test
    void keepsConnections() throws IOException {
        try (Sidecar sidecar = TLS.before(good, app());
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(GET).response().status()).isEqualTo(200);
            }
            assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_OPENED)).isOne();
            assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_REUSED)).isEqualTo(19);
        }
    }

    @Test
    void showsItsCertificate() throws IOException {
        try (Sidecar sidecar =
                TLS.before(asks, app() + ", certificate: " + TLS.pki().certificate("client"))) {
            assertThat(get(sidecar).bodyText()).endsWith("|CN=client");
        }
        try (Sidecar sidecar = TLS.before(asks, app())) {
            assertThat(get(sidecar).status()).isEqualTo(400);
        }
    }

    @Test
    void isRefusedWithoutACertificate() throws IOException {
        Files.writeString(TLS.pki().path("hello"), "hello");
        try (OpensslServer server = TLS.opensslServerForCertificates("app")) {
            try (Sidecar sidecar = TLS.before(server.port(), app())) {
                assertThat(get(sidecar).status()).isEqualTo(502);
            }
            try (Sidecar sidecar = TLS.before(
                            server.port(), app() + ", certificate: " + TLS.pki().certificate("client"));
                    RawClient client = sidecar.client()) {
                assertThat(client.send("GET /hello HTTP/1.1\r\nHost: app\r\n\r\n")
                                .response()
                                .bodyText())
                        .isEqualTo("hello");
            }
        }
    }

    // ---- who the endpoint is

    private static void assertRefused(Sidecar sidecar, int port) throws IOException {
        long before = nginx.served(port);
        RawResponse response = get(sidecar);
        assertThat(response.status()).isEqualTo(502);
        assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
        assertThat(sidecar.count(Count.BACKEND_CONNECT_FAILURES)).isPositive();
        assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_OPENED)).isZero();
        assertThat(nginx.served(port)).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({
        "foreign, certificate-untrusted",
        "expired, certificate-not-valid-now",
        "common, certificate-name",
        "misused, certificate-untrusted",
        "selfSigned, certificate-untrusted",
        "named, certificate-name",
        "wild, certificate-name"
    })
    void refusesSomebodyElse(String who, String reason) throws IOException {
        int port =
                switch (who) {
                    case "foreign" -> foreign;
                    case "expired" -> expired;
                    case "common" -> common;
                    case "misused" -> misused;
                    case "selfSigned" -> selfSigned;
                    case "named" -> named;
                    default -> wild;
                };
        try (Sidecar sidecar = TLS.before(port, app())) {
            assertRefused(sidecar, port);
            assertThat(sidecar.metrics().sum("remora_tls_handshake_failures_total", "reason", reason))
                    .isPositive();
            assertThat(sidecar.metrics().sum("remora_tls_unverified", "side", "cluster"))
                    .isZero();
        }
        // which can be had where nobody is verified
        try (Sidecar sidecar = TLS.before(port, "insecure-skip-verification: true")) {
            assertThat(get(sidecar).status()).isEqualTo(200);
            assertThat(sidecar.metrics().sum("remora_tls_unverified", "side", "cluster"))
                    .isOne();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "app.test, true",
        "APP.test, true",
        "other.test, false",
        "x.app.test, false",
        "'other.test, app.test', true",
        "'\"spiffe://mesh/ns/a/sa/app\"', false"
    })
    void comparesDnsNames(String names, boolean fits) throws IOException {
        try (Sidecar sidecar = TLS.before(good, TLS.pki().trust("ca") + ", peer-names: [" + names + "]")) {
            if (fits) {
                assertThat(get(sidecar).status()).isEqualTo(200);
            } else {
                assertRefused(sidecar, good);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"a.wild.test, true", "a.b.wild.test, false", "wild.test, false"})
    void takesAWildcardForOneLabel(String name, boolean fits) throws IOException {
        try (Sidecar sidecar = TLS.before(wild, TLS.pki().trust("ca") + ", peer-names: [" + name + "]")) {
            if (fits) {
                assertThat(get(sidecar).status()).isEqualTo(200);
            } else {
                assertRefused(sidecar, wild);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "spiffe://mesh/ns/a/sa/app, true",
        "spiffe://mesh/ns/a/sa/ap, false",
        "spiffe://mesh/ns/a/sa/app2, false",
        "spiffe://mesh/ns/a/sa/App, false",
        "spiffe://mesh/ns/a/sa/, false"
    })
    void comparesUrisOctetByOctet(String uri, boolean fits) throws IOException {
        try (Sidecar sidecar = TLS.before(named, TLS.pki().trust("ca") + ", peer-names: [\"" + uri + "\"]")) {
            if (fits) {
                assertThat(get(sidecar).bodyText()).isEqualTo("TLSv1.3||http/1.1|");
            } else {
                assertRefused(sidecar, named);
            }
        }
    }

    @Test
    void takesNobodyWithTwoUris() throws IOException {
        String both = "\"spiffe://mesh/ns/a/sa/app\", \"spiffe://mesh/ns/a/sa/other\"";
        try (Sidecar sidecar = TLS.before(twice, TLS.pki().trust("ca") + ", peer-names: [" + both + "]")) {
            assertRefused(sidecar, twice);
        }
    }

    // ---- traffic

    @Test
    void movesLargeBodies() throws IOException {
        byte[] body = new byte[20_000_003];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31 + (i >> 13));
        }
        try (Sidecar sidecar = TLS.before(files, app());
                RawClient client = sidecar.client()) {
            client.send("PUT /large HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length + "\r\n\r\n");
            client.send(body);
            assertThat(client.response("PUT").status()).isEqualTo(201);
            assertThat(Arrays.mismatch(Files.readAllBytes(nginx.root().resolve("large")), body))
                    .isEqualTo(-1);
            client.send("GET /large HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(Arrays.mismatch(client.response().body(), body)).isEqualTo(-1);
        }
    }

    /** The endpoint ends an idle connection with a close_notify, which is seen before the next request. */
    @Test
    void seesTheEndOfAnIdleConnection() throws IOException {
        try (Sidecar sidecar = TLS.before(impatient, app());
                RawClient client = sidecar.client()) {
            for (int i = 1; i <= 3; i++) {
                int connections = i;
                assertThat(client.send(GET).response().status()).isEqualTo(200);
                Await.until("closed", () -> sidecar.count(Count.BACKEND_CONNECTIONS_CLOSED) == connections);
            }
            assertThat(sidecar.count(Count.RETRIES)).isZero();
        }
    }

    // ---- truncation

    private static byte[] serve(String name, int octets) throws IOException {
        byte[] content = new byte[octets];
        Arrays.fill(content, (byte) 'x');
        Files.write(TLS.pki().path(name), content);
        return content;
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void takesACloseNotifyForTheEnd(String version) throws IOException {
        byte[] content = serve("content", 300_000);
        try (OpensslServer server = TLS.opensslServer("app", version);
                Sidecar sidecar = TLS.before(server.port(), app());
                RawClient client = sidecar.client()) {
            client.send("GET /content HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response().body()).isEqualTo(content);
        }
    }

    @ParameterizedTest
    @CsvSource({"-tls1_2, 100000, false", "-tls1_3, 100000, false", "-tls1_2, 10000000, true"})
    void passesNoTruncatedBodyForAWholeOne(String version, long octets, boolean hidesAlerts) throws IOException {
        serve("content", 300_000);
        try (OpensslServer server = TLS.opensslServer("app", version);
                CuttingRelay relay = new CuttingRelay(server.port(), octets, hidesAlerts);
                Sidecar sidecar = TLS.before(relay.port(), app());
                RawClient client = sidecar.client()) {
            client.send("GET /content HTTP/1.1\r\nHost: app\r\n\r\n");
            String all = new String(client.readToEnd(), java.nio.charset.StandardCharsets.ISO_8859_1);
            assertThat(all).startsWith("HTTP/1.1 200 ").contains("Transfer-Encoding: chunked");
            assertThat(all).as("the last chunk").doesNotEndWith("\r\n0\r\n\r\n");
        }
    }
}
