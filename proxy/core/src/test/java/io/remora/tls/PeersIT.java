package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.PeerCall;
import io.remora.testkit.PeerProgram;
import io.remora.testkit.PeerServer;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** GnuTLS, Go, the JDK and HAProxy, as clients of a listener and as endpoints of a cluster. */
final class PeersIT {
    private static final String[] VERSIONS = {"1.2", "1.3"};
    private static final List<String> CERTIFICATES = List.of("rsa", "p256", "ed25519", "chain", "large");
    private static final String URI = "spiffe://mesh/ns/a/sa/first";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static RecordingBackend backend;
    private static Sidecar open;
    private static Sidecar strict;

    @BeforeAll
    static void start() throws IOException {
        TLS.pki()
                .authorityBelow("ca", "middle")
                .authorityBelow("middle", "low")
                .issue("ca", "first", "DNS:localhost,IP:127.0.0.1,URI:" + URI)
                .issue("ca", "rsa", "DNS:rsa.test", Pki.RSA, 30)
                .issue("ca", "p256", "DNS:p256.test")
                .issue("ca", "ed25519", "DNS:ed25519.test", Pki.ED25519, 30)
                .issue("low", "leaf", "DNS:chain.test")
                .issue("ca", "large", "DNS:large.test," + manyNames())
                .join("chain", "leaf", "low", "middle");
        Files.copy(TLS.pki().path("leaf.key"), TLS.pki().path("chain.key"));
        backend = RecordingBackend.start().replyOk();
        open = TLS.listening(backend, "", "first", "rsa", "p256", "ed25519", "chain", "large");
        String asks = "client-certificates: required, " + TLS.pki().trust("ca");
        strict = TLS.listening(backend, asks, "first");
    }

    /** As many as make a certificate of 16 KiB. */
    private static String manyNames() {
        StringBuilder names = new StringBuilder("DNS:n0.large.test");
        for (int i = 1; i < 760; i++) {
            names.append(",DNS:name-").append(1_000 + i).append(".large.test");
        }
        return names.toString();
    }

    @AfterAll
    static void stop() {
        open.close();
        strict.close();
        backend.close();
    }

    private static Stream<Arguments> programs() {
        return Arrays.stream(PeerProgram.values())
                .flatMap(program -> Arrays.stream(VERSIONS).map(version -> Arguments.of(program, version)));
    }

    private static Stream<Arguments> programsAndCertificates() {
        return programs().flatMap(one -> CERTIFICATES.stream()
                .map(certificate -> Arguments.of(one.get()[0], one.get()[1], certificate)));
    }

    /** A program that is not there skips its tests, and they say which it is. */
    private static void assumeInstalled(PeerProgram peer) {
        assumeThat(peer.missing()).isEmpty();
    }

    @Test
    void hasACertificateOf16KiB() throws IOException {
        assertThat(CertificateFile.read(TLS.pki().path("large.crt").toString()).get(0))
                .hasSizeGreaterThan(16_384);
    }

    // ---- as clients

    private static long shaken(Sidecar sidecar, String side) {
        return sidecar.metrics().sum("remora_tls_handshakes_total", "side", side);
    }

    private static void assertServed(
            Sidecar sidecar, PeerProgram peer, String version, String host, String sni, String own) {
        assumeInstalled(peer);
        long before = shaken(sidecar, "listener");
        PeerCall call = new PeerCall(sidecar.address().getPort(), version, host, sni, own);
        Command said = peer.get(TLS.directory(), call);
        assertThat(said.good()).contains("200", "ok");
        assertThat(shaken(sidecar, "listener")).isGreaterThan(before);
    }

    @ParameterizedTest
    @MethodSource("programsAndCertificates")
    void areServedByTheCertificateOfTheirName(PeerProgram peer, String version, String certificate) {
        assertServed(open, peer, version, certificate + ".test", certificate + ".test", "");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void areServedByTheFirstWithoutAName(PeerProgram peer, String version) {
        assertServed(open, peer, version, "127.0.0.1", "", "");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void areServedByTheFirstForANameThatNoneHas(PeerProgram peer, String version) {
        assertServed(open, peer, version, "127.0.0.1", "unknown.test", "");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void refuseACertificateForAnotherName(PeerProgram peer, String version) {
        assumeInstalled(peer);
        PeerCall call = new PeerCall(open.address().getPort(), version, "other.test", "other.test", "");
        assertThat(peer.get(TLS.directory(), call).output()).doesNotContain("200 ");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void showTheirCertificate(PeerProgram peer, String version) {
        assertServed(strict, peer, version, "localhost", "localhost", "client");
        PeerCall without = new PeerCall(strict.address().getPort(), version, "localhost", "localhost", "");
        assertThat(peer.get(TLS.directory(), without).output()).doesNotContain("200 ");
    }

    // ---- as endpoints

    private static void assertReached(PeerProgram peer, String version, String certificate, String tls, String sni)
            throws IOException {
        assumeInstalled(peer);
        boolean asks = tls.contains("certificate:");
        try (PeerServer server = peer.serve(TLS.directory(), version, certificate, asks);
                Sidecar sidecar = TLS.before(server.port(), TLS.pki().trust("ca") + ", " + tls);
                RawClient client = sidecar.client()) {
            RawResponse response =
                    client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
            assertThat(response.status()).isEqualTo(200);
            if (peer == PeerProgram.GNUTLS) {
                assertThat(response.bodyText()).contains("TLS" + version, sni);
            } else {
                assertThat(response.bodyText()).startsWith("TLSv" + version + "|" + sni + "|");
            }
            assertThat(shaken(sidecar, "cluster")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("programsAndCertificates")
    void areReachedByTheirName(PeerProgram peer, String version, String certificate) throws IOException {
        String name = certificate + ".test";
        assertReached(peer, version, certificate, "server-name: " + name, name);
    }

    /** The dot at the end of a configured name is not part of it, in SNI and in certificates (RFC 6066 3). */
    @ParameterizedTest
    @MethodSource("programs")
    void areReachedByTheirNameInAnySpelling(PeerProgram peer, String version) throws IOException {
        assertReached(peer, version, "p256", "server-name: P256.test.", "p256.test");
        assertReached(peer, version, "p256", "server-name: p256.test, peer-names: [P256.Test.]", "p256.test");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void areReachedWithoutAName(PeerProgram peer, String version) throws IOException {
        assertReached(peer, version, "first", "peer-names: [\"" + URI + "\"]", "");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void areReachedByANameThatTheyDoNotHave(PeerProgram peer, String version) throws IOException {
        assertReached(peer, version, "first", "server-name: unknown.test, peer-names: [localhost]", "unknown.test");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void seeTheCertificateOfTheCluster(PeerProgram peer, String version) throws IOException {
        String own = "certificate: " + TLS.pki().certificate("client");
        assertReached(peer, version, "first", "server-name: localhost, " + own, "localhost");
    }
}
