package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.files.FileWatch;
import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Revocation lists of a sidecar's listeners and clusters, and what it says of them. */
final class CrlIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";

    @TempDir
    static Path directory;

    private static Pki pki;

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory);
        Revocations lists = new Revocations(pki).authority("ca");
        pki.issue("ca", "server", "DNS:localhost")
                .issue("ca", "bad-server", "DNS:localhost")
                .issue("ca", "good", "DNS:good.test")
                .issue("ca", "bad", "DNS:bad.test");
        lists.list("new", "ca", "bad", "bad-server")
                .list("none", "ca")
                .listUntil(Revocations.PAST, "", "old", "ca", "bad");
    }

    private static String crl(String name) {
        return "crl: \"" + pki.path(name + ".crl") + "\"";
    }

    private static String clients(String list) {
        return "client-certificates: required, " + pki.trust("ca") + ", " + crl(list);
    }

    private static Command client(Sidecar sidecar, String certificate, String version) {
        // a refusal of TLS 1.3 comes behind the client's own end of the handshake
        String address = "127.0.0.1:" + sidecar.address().getPort();
        return Command.fed(
                directory,
                GET,
                "openssl",
                "s_client",
                "-ign_eof",
                "-connect",
                address,
                "-CAfile",
                "ca.crt",
                version,
                "-cert",
                certificate + ".crt",
                "-key",
                certificate + ".key");
    }

    private static long failures(Sidecar sidecar, String side, String reason) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "side", side, "reason", reason);
    }

    private static long outdated(Sidecar sidecar, String side) {
        return sidecar.metrics().sum("remora_tls_crl_expires_seconds", "side", side);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void refusesARevokedClient(String version) {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar =
                        Sidecar.start(Setup.before(backend).listener(pki.listener(clients("new"), "server")))) {
            assertThat(client(sidecar, "good", version).output()).contains("HTTP/1.1 200 OK");
            Command refused = client(sidecar, "bad", version);
            // by number, which openssl tells in every version
            boolean byJdk = OpenSslProvider.load() == null;
            assertThat(refused.output())
                    .contains(byJdk ? "SSL alert number 46" : "SSL alert number 44")
                    .doesNotContain("HTTP/1.1 200 OK");
            assertThat(failures(sidecar, "listener", "certificate-revoked")).isOne();
            assertThat(outdated(sidecar, "listener")).isEqualTo(4_070_908_800L);
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void refusesEverybodyByAnOutdatedList() {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar =
                        Sidecar.start(Setup.before(backend).listener(pki.listener(clients("old"), "server")))) {
            assertThat(client(sidecar, "good", "-tls1_3").output()).doesNotContain("HTTP/1.1 200 OK");
            assertThat(failures(sidecar, "listener", "revocation-unknown")).isOne();
            assertThat(outdated(sidecar, "listener")).isEqualTo(1_738_368_000L);
        }
    }

    @Test
    void goesToNoRevokedEndpoint() throws IOException {
        for (String certificate : List.of("server", "bad-server")) {
            try (OpensslServer server = new OpensslServer(directory, certificate);
                    Sidecar sidecar = Sidecar.start(Setup.at(server.port())
                            .cluster("tls: { server-name: localhost, " + pki.trust("ca") + ", " + crl("new") + " }"));
                    RawClient client = sidecar.client()) {
                boolean isGood = certificate.equals("server");
                client.send("GET /ca.crt HTTP/1.1\r\nHost: app\r\n\r\n");
                assertThat(client.response().status()).isEqualTo(isGood ? 200 : 502);
                Await.until("counted", () -> (failures(sidecar, "cluster", "certificate-revoked") > 0) == !isGood);
                assertThat(outdated(sidecar, "cluster")).isEqualTo(4_070_908_800L);
            }
        }
    }

    // ---- remora check

    private static String check(String listener, String cluster) throws ConfigException {
        String yaml = """
                listeners:
                  - address: "127.0.0.1:0"
                    cluster: app
                    LISTENER
                clusters:
                  app:
                    endpoints: ["127.0.0.1:1"]
                    tls: CLUSTER
                """.replace("LISTENER", listener).replace("CLUSTER", cluster);
        ByteArrayInputStream in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        return new TlsSetup(new JdkProvider(), new FileWatch())
                .check("f.yaml", ConfigReader.read("f.yaml", in, Map.of(), new FeatureList()));
    }

    @Test
    void saysWhatTheListsAre() throws ConfigException {
        String told = check(
                pki.listener(clients("old"), "server"),
                "{ server-name: a.test, " + pki.trust("server") + ", " + crl("new") + " }");
        assertThat(told.replace(directory + "/", ""))
                .containsPattern(
                        "listener listener-1: revocation list old.crl: CN=ca: 1 entry; outdated since \\d+ days\n")
                .containsPattern("cluster app: revocation list new.crl: CN=ca: 2 entries; next update in \\d+ days\n")
                .contains("cluster app: revocation list new.crl: none of 1 of 1 that are trusted;");
    }

    @Test
    void saysWhatIsWrongWithThem() {
        String absent = clients("absent");
        String noList = clients("x").replace("x.crl", "ca.crt");
        for (String tls : List.of(absent, noList)) {
            try {
                throw new AssertionError("no problem: " + check(pki.listener(tls, "server"), "off"));
            } catch (ConfigException e) {
                assertThat(e.problems()).singleElement().satisfies(problem -> {
                    assertThat(problem.line()).isEqualTo(4);
                    assertThat(problem.message())
                            .contains(
                                    tls.equals(absent)
                                            ? "absent.crl: cannot be read: No such file"
                                            : "ca.crt: has no PEM block of a revocation list");
                });
            }
        }
    }
}
