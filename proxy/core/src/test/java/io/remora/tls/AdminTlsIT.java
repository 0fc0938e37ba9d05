package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.Proxy;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Metrics;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin listener with TLS, before curl, openssl's client and Java's. */
final class AdminTlsIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final String LIVE = "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    @BeforeAll
    static void certificates() {
        TLS.pki().issue("other", "stranger", "URI:spiffe://mesh/ns/a/sa/client").issue("ca", "next", "DNS:localhost");
    }

    private static Proxy start(String certificate, String more) throws IOException {
        return start(certificate, more, "");
    }

    /**
     * @param admin further keys of the admin listener, with a comma in front
     */
    private static Proxy start(String certificate, String more, String admin) throws IOException {
        String tls = TLS.pki().listener(more, certificate).replace("tls: ", "");
        String yaml = """
            log-level: warn
            admin: { address: "127.0.0.1:0", tls: TLS ADMIN }
            health: { address: "127.0.0.1:0" }
            listeners: [{ address: "127.0.0.1:0", cluster: app }]
            clusters: { app: { endpoints: ["127.0.0.1:1"] } }
            """.replace("TLS", tls).replace("ADMIN", admin);
        try {
            ByteArrayInputStream in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
            return Proxy.start(ConfigReader.read("test.yaml", in, Map.of(), new FeatureList()));
        } catch (ConfigException e) {
            throw new AssertionError(e);
        }
    }

    private static Proxy startForOperators() throws IOException {
        return start("server", "client-certificates: required, " + TLS.pki().trust("ca"));
    }

    private static Command curl(Proxy proxy, String path, String... options) {
        int port = proxy.adminAddress().getPort();
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--cacert", "ca.crt"));
        command.addAll(List.of("--resolve", "localhost:" + port + ":127.0.0.1"));
        command.addAll(List.of(options));
        command.add("https://localhost:" + port + path);
        return Command.run(TLS.directory(), command.toArray(new String[0]));
    }

    private static Metrics metrics(Proxy proxy) {
        return Metrics.parse(
                curl(proxy, "/metrics", Certificates.showing("client")).good());
    }

    private static long failures(Proxy proxy, String reason) {
        return metrics(proxy).sum("remora_tls_handshake_failures_total", "side", "admin", "reason", reason);
    }

    private static Command opensslClient(Proxy proxy, String... options) {
        List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-ign_eof", "-CAfile", "ca.crt"));
        command.addAll(List.of("-connect", "127.0.0.1:" + proxy.adminAddress().getPort()));
        command.addAll(List.of(options));
        return Command.fed(TLS.directory(), LIVE, command.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void servesEveryPageToAnOperator(String version) throws IOException {
        String[] shown = Certificates.showing("client", "--tlsv" + version, "--tls-max", version);
        try (Proxy proxy = startForOperators()) {
            assertThat(curl(proxy, "/live", shown).good()).isEqualTo("live\n");
            assertThat(curl(proxy, "/ready", shown).good()).isEqualTo("ready\n");
            assertThat(curl(proxy, "/config", shown).good()).contains("    client-certificates: required\n");
            // large ones, which take several records
            assertThat(curl(proxy, "/metrics", shown).good()).endsWith("\n").contains("remora_ready 1");
            assertThat(curl(proxy, "/threads?stacks=true", shown).good()).contains("remora-admin");
            String[] post = Certificates.showing("client", "--data", "warn");
            assertThat(curl(proxy, "/log-level", post).good()).isEqualTo("warn\n");
            assertThat(curl(proxy, "/drain", Certificates.showing("client", "--request", "POST"))
                            .good())
                    .isEqualTo("draining\n");
            assertThat(proxy.ready()).isFalse();
        }
    }

    @Test
    void theDashboardHasTheOriginOfItsScheme() throws IOException {
        String required = "client-certificates: required, " + TLS.pki().trust("ca");
        try (Proxy proxy = start("server", required, ", allow-remote: true, pages: act")) {
            String page =
                    curl(proxy, "/dashboard", Certificates.showing("client")).good();
            int token = page.indexOf("data-token=\"") + "data-token=\"".length();
            String field = "Remora-Token: " + page.substring(token, token + 32);
            String host = "localhost:" + proxy.adminAddress().getPort();
            for (String scheme : List.of("http", "https")) {
                String origin = "Origin: " + scheme + "://" + host;
                String[] post = Certificates.showing(
                        "client",
                        "--data",
                        "warn",
                        "--header",
                        field,
                        "--header",
                        origin,
                        "--write-out",
                        "%{http_code}");
                assertThat(curl(proxy, "/log-level", post).good()).endsWith(scheme.equals("https") ? "200" : "403");
            }
            // the stream has no end, and curl reads it for a while
            String[] events = Certificates.showing("client", "--no-buffer", "--max-time", "6");
            assertThat(curl(proxy, "/dashboard/events", events).output().split("data: \\{"))
                    .hasSizeGreaterThan(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void endsItsConnectionsInOrder(String version) throws IOException {
        try (Proxy proxy = startForOperators()) {
            Command answered = opensslClient(proxy, version, "-cert", "client.crt", "-key", "client.key");
            assertThat(answered.good())
                    .contains("HTTP/1.1 200 OK", "live\n", "Verify return code: 0 (ok)")
                    .doesNotContain("unexpected eof");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1.2, '', certificate-missing",
        "1.3, '', certificate-missing",
        "1.2, stranger, certificate-untrusted",
        "1.3, stranger, certificate-untrusted"
    })
    void refusesOthers(String version, String certificate, String reason) throws IOException {
        String[] options = {"--tlsv" + version, "--tls-max", version};
        String[] shown = certificate.isEmpty() ? options : Certificates.showing(certificate, options);
        try (Proxy proxy = startForOperators()) {
            Command refused = curl(proxy, "/live", shown);
            assertThat(refused.status()).isNotZero();
            assertThat(refused.output()).contains("alert").doesNotContain("live");
            assertThat(failures(proxy, reason)).isOne();
        }
    }

    /** Whose authority the client does not know, as the client tells the sidecar. */
    @Test
    void isItselfVerified() throws IOException {
        try (Proxy proxy = startForOperators()) {
            Command refused =
                    curl(proxy, "/live", Certificates.showing("client", "--cacert", "other.crt", "--tls-max", "1.2"));
            assertThat(refused.status()).isEqualTo(60);
            assertThat(failures(proxy, "alert")).isOne();
        }
    }

    @Test
    void tellsAPlainClientWhatItWants() throws IOException {
        try (Proxy proxy = startForOperators();
                RawClient client = RawClient.connect(proxy.adminAddress())) {
            RawResponse refused = client.send(LIVE).response();
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.bodyText()).isEqualTo("this listener requires TLS: use https\n");
            assertThat(client.closedByPeer()).isTrue();
            assertThat(failures(proxy, "plain-http")).isOne();
        }
    }

    @Test
    void servesAJavaClientOnOneConnection() throws IOException {
        try (Proxy proxy = startForOperators()) {
            InetSocketAddress address = proxy.adminAddress();
            try (TlsPeer peer = TlsPeer.connect(address, TlsPeer.context(TLS.pki(), "client"))) {
                for (int i = 0; i < 3; i++) {
                    assertThat(peer.get("/live", "localhost").bodyText()).isEqualTo("live\n");
                    assertThat(peer.get("/live", "127.0.0.1").status()).isEqualTo(200);
                    assertThat(peer.get("/live", "operator.test").status()).isEqualTo(403);
                }
            }
            assertThat(metrics(proxy).sum("remora_tls_handshakes_total", "side", "admin"))
                    .isEqualTo(2);
            for (String certificate : List.of("", "stranger")) {
                String[] shown = certificate.isEmpty() ? new String[0] : new String[] {certificate};
                assertThatThrownBy(() -> {
                            try (TlsPeer peer = TlsPeer.connect(address, TlsPeer.context(TLS.pki(), shown))) {
                                // a client of TLS 1.3 learns of it when it reads
                                peer.get("/live", "localhost");
                            }
                        })
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void asksNobodyForACertificateUnlessItIsToldTo() throws IOException {
        try (Proxy proxy = start("server", "")) {
            assertThat(curl(proxy, "/live").good()).isEqualTo("live\n");
        }
    }

    /** A kubelet has no certificate. */
    @Test
    void leavesTheHealthListenerPlain() throws IOException {
        try (Proxy proxy = startForOperators();
                RawClient kubelet = RawClient.connect(proxy.healthAddress())) {
            String ready = "GET /ready HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n";
            assertThat(kubelet.send(ready).response().bodyText()).isEqualTo("ready\n");
            assertThat(kubelet.send(ready.replace("/ready", "/metrics"))
                            .response()
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void cutsAHandshakeThatDoesNotEnd() throws IOException {
        try (Proxy proxy = start("server", "handshake-timeout: 100ms");
                RawClient silent = RawClient.connect(proxy.adminAddress());
                RawClient slow = RawClient.connect(proxy.adminAddress())) {
            slow.send("\26\3\1\2\0");
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(slow.closedByPeer()).isTrue();
        }
    }

    @Test
    void aHandshakeThatMakesRoomIsNotTooSlow() throws IOException {
        List<RawClient> half = new ArrayList<>();
        try (Proxy proxy = startForOperators()) {
            for (int i = 0; i < AdminConfig.MAX_CONNECTIONS; i++) {
                half.add(RawClient.connect(proxy.adminAddress()).send("\26\3\1\2\0"));
            }
            Metrics metrics = metrics(proxy);
            assertThat(half.get(0).closedByPeer()).isTrue();
            assertThat(metrics.sum("remora_tls_handshake_failures_total", "reason", "busy"))
                    .isOne();
            assertThat(metrics.sum("remora_tls_handshake_failures_total")).isOne();
        } finally {
            half.forEach(RawClient::close);
        }
    }

    @Test
    void goesByChangedFiles() throws IOException {
        for (String end : List.of(".crt", ".key")) {
            copy("server" + end, "rotated" + end);
        }
        try (Proxy proxy =
                start("rotated", "client-certificates: required, " + TLS.pki().trust("ca"))) {
            long before = expires(proxy);
            for (String end : List.of(".key", ".crt")) {
                copy("next" + end, "rotated" + end);
            }
            Await.until("the new certificate", () -> TlsPeer.serverAt(
                            proxy.adminAddress(), TlsPeer.context(TLS.pki(), "client"))
                    .equals("next"));
            assertThat(metrics(proxy).sum("remora_tls_reloads_total", "side", "admin", "outcome", "taken"))
                    .isOne();
            assertThat(expires(proxy)).isGreaterThanOrEqualTo(before).isGreaterThan(System.currentTimeMillis() / 1_000);
        }
    }

    private static long expires(Proxy proxy) {
        return metrics(proxy).sum("remora_tls_certificate_expires_seconds", "side", "admin");
    }

    private static void copy(String from, String to) throws IOException {
        Path half = Files.copy(TLS.pki().path(from), TLS.pki().path(to + ".new"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(half, TLS.pki().path(to), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Nothing is bound then. */
    @Test
    void startsWithGoodFilesOnly() {
        assertThatThrownBy(() -> start("absent", ""))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("admin: " + TLS.pki().path("absent.crt"));
    }
}
