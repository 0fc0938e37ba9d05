package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.MountedSecret;
import io.remora.testkit.Nginx;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Key material that changes under a sidecar, at listeners and clusters, in the ways in which it is written. */
@EveryEngine
final class TlsRotationIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @TempDir
    static Path directory;

    private static Pki pki;
    private static Nginx nginx;
    private static int ofOne;
    private static int asks;

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private MountedSecret secret;
    private Path mount;

    @BeforeAll
    static void start() {
        pki = new Pki(directory)
                .authority("ca")
                .authority("other")
                .issue("ca", "one", "DNS:localhost", Pki.P256, 30)
                .issue("ca", "two", "DNS:localhost", Pki.P256, 60)
                .issue("ca", "rsa", "DNS:rsa.test", Pki.RSA, 60)
                .issue("ca", "expired", "DNS:localhost", Pki.P256, -1)
                .issue("ca", "client", "URI:spiffe://mesh/ns/a/sa/b")
                .issue("other", "stranger", "URI:spiffe://mesh/ns/a/sa/c");
        nginx = new Nginx(directory);
        ofOne = nginx.server(pki.path("one.crt"), pki.path("one.key"), "location / { return 200 one; }");
        String verify = "ssl_verify_client on; ssl_client_certificate " + pki.path("ca.crt") + "; ";
        asks = nginx.server(
                pki.path("one.crt"), pki.path("one.key"), verify + "location / { return 200 $ssl_client_s_dn; }");
        nginx.start();
    }

    @AfterAll
    static void stop() {
        nginx.close();
    }

    @BeforeEach
    void mount() throws IOException {
        mount = Files.createTempDirectory(directory, "mount");
        secret = new MountedSecret(mount, "tls.crt", "tls.key", "ca.crt");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    // ---- what the tests have in common

    private void put(String certificate, String authority) {
        secret.put(pki.path(certificate + ".crt"), pki.path(certificate + ".key"), pki.path(authority + ".crt"));
    }

    private String own() {
        return "{ chain: \"" + secret.path("tls.crt") + "\", key: \"" + secret.path("tls.key") + "\" }";
    }

    private String trust() {
        return "trust: \"" + secret.path("ca.crt") + "\"";
    }

    private Sidecar listener(String more) {
        return Sidecar.start(Setup.before(backend).listener("tls: { certificates: [" + own() + "]" + more + " }"));
    }

    private static Sidecar cluster(int port, String tls) {
        return Sidecar.start(
                Setup.at(port).cluster("tls: { " + tls + ", server-name: localhost }\ntimeouts: { connect: 5s }"));
    }

    private static long reloads(Sidecar sidecar, String outcome) {
        return sidecar.metrics().sum("remora_tls_reloads_total", "outcome", outcome);
    }

    private static void await(Sidecar sidecar, String outcome, int count) {
        Await.until(count + " " + outcome, () -> reloads(sidecar, outcome) == count);
    }

    private static String shown(Sidecar sidecar) {
        return TlsPeer.serverAt(sidecar.address(), TlsPeer.context(pki));
    }

    private static RawResponse get(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(GET).response();
        }
    }

    // ---- certificates of a listener

    @Test
    void showsTheNewCertificateOnceTheLinkIsTurned() throws IOException {
        put("one", "ca");
        try (Sidecar sidecar = listener("")) {
            try (TlsPeer kept = TlsPeer.connect(sidecar.address(), TlsPeer.context(pki))) {
                assertThat(kept.server()).isEqualTo("one");
                assertThat(kept.get().bodyText()).isEqualTo("ok");
                long expiresBefore = expires(sidecar, Sidecar.LISTENER);
                put("two", "ca");
                Await.until("the new one is shown", () -> shown(sidecar).equals("two"));
                await(sidecar, "taken", 1);
                assertThat(expires(sidecar, Sidecar.LISTENER) - expiresBefore).isBetween(29 * 86_400L, 31 * 86_400L);
                // which has been shown the old one, and stays
                assertThat(kept.get().bodyText()).isEqualTo("ok");
                Await.until("it is the only one", () -> sidecar.count(Count.CONNECTIONS_ACTIVE) == 1);
            }
            assertThat(reloads(sidecar, "refused")).isZero();
        }
    }

    private static long expires(Sidecar sidecar, String name) {
        return sidecar.metrics().sum("remora_tls_certificate_expires_seconds", "name", name);
    }

    /** As SPIFFE's helper and shell scripts write: in place, one file after the other. */
    @Test
    void takesFilesThatAreWrittenInPlace() throws IOException {
        Files.copy(pki.path("one.crt"), secret.path("tls.crt"));
        Files.copy(pki.path("one.key"), secret.path("tls.key"));
        try (Sidecar sidecar = listener("")) {
            assertThat(shown(sidecar)).isEqualTo("one");
            Files.write(secret.path("tls.crt"), Files.readAllBytes(pki.path("two.crt")));
            Files.write(secret.path("tls.key"), Files.readAllBytes(pki.path("two.key")));
            Await.until("the new one is shown", () -> shown(sidecar).equals("two"));
        }
    }

    @Test
    void keepsWhatItHasUntilThePairFits() throws IOException {
        put("one", "ca");
        try (Sidecar sidecar = listener("")) {
            secret.put(pki.path("two.crt"), pki.path("one.key"), pki.path("ca.crt"));
            await(sidecar, "refused", 1);
            assertThat(shown(sidecar)).isEqualTo("one");
            put("two", "ca");
            await(sidecar, "taken", 1);
            assertThat(shown(sidecar)).isEqualTo("two");
            assertThat(reloads(sidecar, "refused")).isOne();
        }
    }

    @Test
    void keepsWhatItHasUntilTheFileIsWhole() throws IOException {
        put("one", "ca");
        try (Sidecar sidecar = listener("")) {
            String whole = Files.readString(pki.path("two.crt"));
            Path half = Files.writeString(pki.path("half.crt"), whole.substring(0, whole.length() / 2));
            secret.put(half, pki.path("two.key"), pki.path("ca.crt"));
            await(sidecar, "refused", 1);
            assertThat(shown(sidecar)).isEqualTo("one");
            // in place, through the links
            Files.writeString(secret.path("tls.crt"), whole);
            await(sidecar, "taken", 1);
            assertThat(shown(sidecar)).isEqualTo("two");
        }
    }

    @Test
    void keepsWhatItHasWhereAFileIsGoneOrTheCertificateHasExpired() throws IOException {
        put("one", "ca");
        try (Sidecar sidecar = listener("")) {
            Files.delete(secret.path("tls.crt"));
            await(sidecar, "refused", 1);
            assertThat(shown(sidecar)).isEqualTo("one");
            put("expired", "ca");
            await(sidecar, "refused", 2);
            assertThat(shown(sidecar)).isEqualTo("one");
            put("two", "ca");
            await(sidecar, "taken", 1);
            assertThat(shown(sidecar)).isEqualTo("two");
        }
    }

    @Test
    void eachOfSeveralCertificatesChanges() {
        put("one", "ca");
        String rsa = pki.certificate("rsa");
        String tls = "tls: { certificates: [" + rsa + ", " + own() + "] }";
        try (Sidecar sidecar = Sidecar.start(Setup.before(backend).listener(tls))) {
            String[] command = {
                "openssl",
                "s_client",
                "-connect",
                "127.0.0.1:" + sidecar.address().getPort(),
                "-servername",
                "localhost"
            };
            assertThat(Command.run(directory, command).good()).contains("subject=CN = one");
            put("two", "ca");
            await(sidecar, "taken", 1);
            assertThat(Command.run(directory, command).good()).contains("subject=CN = two");
            assertThat(shown(sidecar)).isEqualTo("rsa");
        }
    }

    // ---- whom a listener trusts

    @Test
    void whoIsNoLongerTrustedIsRefusedAndKeepsItsConnection() throws IOException {
        put("one", "ca");
        SSLContext client = TlsPeer.context(pki, "client");
        SSLContext stranger = TlsPeer.context(pki, "stranger");
        try (Sidecar sidecar = listener(", client-certificates: required, " + trust())) {
            try (TlsPeer kept = TlsPeer.connect(sidecar.address(), client)) {
                assertThat(kept.get().status()).isEqualTo(200);
                assertThat(TlsPeer.isServed(sidecar.address(), stranger)).isFalse();
                put("one", "other");
                await(sidecar, "taken", 1);
                assertThat(TlsPeer.isServed(sidecar.address(), stranger)).isTrue();
                assertThat(TlsPeer.isServed(sidecar.address(), client)).isFalse();
                assertThat(kept.get().status()).isEqualTo(200);
            }
        }
    }

    /** A ticket from before does not spare the look at the certificate; the JDK's engine gives none in TLS 1.2. */
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void resumesNoSessionOfAnOlderTrust(String version) throws IOException {
        assumeThat(OpenSslProvider.load() != null || version.equals("-tls1_3")).isTrue();
        put("one", "ca");
        Path session = mount.resolve("session");
        try (Sidecar sidecar = listener(", client-certificates: required, " + trust())) {
            String request = "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";
            assertThat(client(sidecar, request, version, "-sess_out", session, "-ign_eof")
                            .output())
                    .contains("HTTP/1.1 200");
            assertThat(client(sidecar, request, version, "-sess_in", session, "-ign_eof")
                            .output())
                    .contains("Reused, ")
                    .contains("HTTP/1.1 200");
            put("one", "other");
            await(sidecar, "taken", 1);
            assertThat(client(sidecar, request, version, "-sess_in", session, "-ign_eof")
                            .output())
                    .doesNotContain("Reused, ")
                    .doesNotContain("HTTP/1.1 200");
        }
    }

    private static Command client(
            Sidecar sidecar, String input, String version, String how, Path session, String more) {
        String address = "127.0.0.1:" + sidecar.address().getPort();
        return Command.fed(
                directory,
                input,
                "openssl",
                "s_client",
                "-connect",
                address,
                "-cert",
                "client.crt",
                "-key",
                "client.key",
                version,
                how,
                session.toString(),
                more);
    }

    // ---- clusters

    @Test
    void aClusterGoesByItsNewTrust() throws IOException {
        put("one", "other");
        try (Sidecar sidecar = cluster(ofOne, trust());
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().status()).isEqualTo(502);
            put("one", "ca");
            await(sidecar, "taken", 1);
            assertThat(client.send(GET).response().bodyText()).isEqualTo("one");
            put("one", "other");
            await(sidecar, "taken", 2);
            // on the connection that was verified by the trust of its time
            assertThat(client.send(GET).response().bodyText()).isEqualTo("one");
            assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_OPENED)).isOne();
        }
    }

    @Test
    void aConnectionOfTheOlderTrustIsUsedUntilItIsOld() throws IOException {
        put("one", "ca");
        String age = "timeouts: { connect: 5s, max-connection-age: 5s }";
        Setup setup = Setup.at(ofOne).cluster("tls: { " + trust() + ", server-name: localhost }\n" + age);
        try (Sidecar sidecar = Sidecar.start(setup);
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("one");
            put("one", "other");
            await(sidecar, "taken", 1);
            Await.until("the old one ends", () -> status(client) == 502);
            assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_OPENED)).isOne();
        }
    }

    private static int status(RawClient client) {
        try {
            return client.send(GET).response().status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aClusterShowsItsNewCertificate() throws IOException {
        put("two", "ca");
        String tls = "tls: { " + trust() + ", server-name: localhost, certificate: " + own() + " }";
        // each request on a connection of its own
        Setup setup = Setup.at(asks).cluster(tls + "\nmax-idle-connections: 0\ntimeouts: { connect: 5s }");
        try (Sidecar sidecar = Sidecar.start(setup)) {
            assertThat(get(sidecar).bodyText()).isEqualTo("CN=two");
            long expiresBefore = expires(sidecar, "app");
            assertThat(expiresBefore).isPositive();
            put("client", "ca");
            await(sidecar, "taken", 1);
            assertThat(get(sidecar).bodyText()).isEqualTo("CN=client");
            assertThat(expires(sidecar, "app")).isLessThan(expiresBefore);
        }
    }

    // ---- native memory

    /** A context goes with the last connection that it has made. */
    @Test
    void givesEachOldContextBack() throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        put("one", "ca");
        try (Sidecar sidecar = listener("")) {
            long before = 0;
            for (int round = 0; round < 3; round++) {
                try (TlsPeer kept = TlsPeer.connect(sidecar.address(), TlsPeer.context(pki))) {
                    put("two", "ca");
                    await(sidecar, "taken", 2 * round + 1);
                    assertThat(kept.get().status()).isEqualTo(200);
                    put("one", "ca");
                    await(sidecar, "taken", 2 * round + 2);
                    assertThat(kept.get().status()).isEqualTo(200);
                }
                Await.until("closed", () -> sidecar.count(Count.CONNECTIONS_ACTIVE) == 0);
                sidecar.barrier();
                long now = OpenSslProvider.allocatedOctets();
                if (round > 0) {
                    // OpenSSL's own caches grow by some octets
                    assertThat(now - before).isLessThan(ofOneContext() / 4);
                }
                before = now;
            }
        }
    }

    private static long ofOneContext() throws IOException {
        TlsProvider provider = OpenSslProvider.load();
        long before = OpenSslProvider.allocatedOctets();
        TlsParameters protocols = new TlsParameters(
                List.of("TLSv1.3", "TLSv1.2"), provider.cipherSuites(), List.of("x25519"), List.of("http/1.1"));
        TlsContext one = provider.server(new ServerSettings(List.of(TlsPeer.credentials(pki, "one")), protocols, null));
        long octets = OpenSslProvider.allocatedOctets() - before;
        one.release();
        assertThat(octets).isGreaterThan(4_096);
        return octets;
    }
}
