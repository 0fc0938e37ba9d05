package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.StandardError;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each thing that can be wrong with a certificate, of clients and of endpoints: what the peer sees, what is counted, and what is logged. */
final class BadCertificatesIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";
    private static final String NAMES = "DNS:app.test,URI:spiffe://mesh/ns/a/sa/app";

    /** The certificate, the list that is gone by, the label, and the alerts by OpenSSL of a listener with TLS 1.2 and 1.3. */
    private static final String[][] CASES = {
        {"expired", "", "certificate-not-valid-now", "45", "45"},
        {"future", "", "certificate-not-valid-now", "42", "42"},
        {"stranger", "", "certificate-untrusted", "48", "48"},
        {"alone", "", "certificate-untrusted", "48", "48"},
        {"misused", "", "certificate-untrusted", "43", "43"},
        {"unsigning", "", "certificate-untrusted", "43", "43"},
        {"revoked", "new", "certificate-revoked", "44", "44"},
        {"good", "old", "revocation-unknown", "45", "45"},
    };

    @TempDir
    static Path directory;

    private static Pki pki;

    @RegisterExtension
    final StandardError standardError = new StandardError();

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory);
        Revocations lists = new Revocations(pki).authority("ca").authority("other");
        pki.issue("ca", "server", "DNS:localhost")
                .issue("ca", "good", NAMES)
                .issue("ca", "revoked", NAMES)
                .issue("ca", "expired", NAMES, Pki.P256, -1)
                .issueBetween("ca", "future", NAMES, "20980101000000Z", "20990101000000Z")
                .issue("other", "stranger", NAMES)
                .selfSigned("alone", NAMES)
                .issueFor("ca", "misused", NAMES, "codeSigning")
                .issueWith("ca", "unsigning", NAMES, "keyUsage=critical,cRLSign");
        lists.list("new", "ca", "revoked").listUntil(Revocations.PAST, "", "old", "ca");
    }

    private static Stream<Arguments> cases() {
        return Arrays.stream(CASES).flatMap(one -> Stream.of("1_2", "1_3")
                .map(version -> Arguments.of(one[0], one[1], one[2], version, one[version.equals("1_2") ? 3 : 4])));
    }

    private static String crl(String list) {
        return list.isEmpty() ? "" : ", crl: \"" + pki.path(list + ".crl") + "\"";
    }

    /** The words of the log for a label. */
    private static String words(String label) {
        for (TlsFailure failure : TlsFailure.values()) {
            if (failure.label().equals(label)) {
                return failure.words();
            }
        }
        throw new AssertionError(label);
    }

    private static long failures(Sidecar sidecar, String side, String label) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "side", side, "reason", label);
    }

    private void assertTold(String who, String label) {
        Await.until("a line", () -> standardError.text().contains("handshake failed"));
        assertThat(standardError.lines())
                .filteredOn(line -> line.contains("TLS handshake failed"))
                .first()
                .asString()
                .contains(" WARN " + who + ": TLS handshake failed: " + words(label));
    }

    // ---- clients

    /** What openssl's client says, which shows a certificate; none for an empty name. */
    private static Command client(Sidecar sidecar, String certificate, String version) {
        String own = certificate.isEmpty() ? "" : " -cert " + certificate + ".crt -key " + certificate + ".key";
        String address = "127.0.0.1:" + sidecar.address().getPort();
        // a refusal of TLS 1.3 comes behind the client's own end of the handshake
        String command = "openssl s_client -ign_eof -connect " + address + " -CAfile ca.crt -tls" + version + own;
        return Command.fed(directory, GET, command.split(" "));
    }

    private static String required() {
        return "client-certificates: required, " + pki.trust("ca");
    }

    private void assertRefused(String own, String list, String label, String version, String alert) {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar =
                        Sidecar.start(Setup.before(backend).listener(pki.listener(required() + crl(list), "server")))) {
            Command refused = client(sidecar, own, version);
            assertThat(refused.output())
                    .containsPattern("SSL alert number (?:" + alert + ")\n")
                    .doesNotContain("HTTP/1.1 200");
            assertThat(failures(sidecar, "listener", label)).isOne();
            assertThat(sidecar.metrics().sum("remora_tls_handshake_failures_total", "side", "listener"))
                    .isOne();
            assertThat(sidecar.metrics().sum("remora_tls_handshakes_total", "side", "listener"))
                    .isZero();
            assertThat(sidecar.count(Count.EXCHANGES_STARTED)).isZero();
            assertThat(backend.requests()).isEmpty();
            assertTold("listener test", label);
        }
    }

    /** The alert of AWS-LC in TLS 1.3, which checks the key usage before the chain. */
    private static final String UNSIGNING_BY_AWS_LC = "47";

    /** The JDK's engine has one alert for all that is wrong with a client's certificate. */
    @ParameterizedTest
    @MethodSource("cases")
    void ofAClientIsRefused(String own, String list, String label, String version, String alert) {
        TlsProvider library = OpenSslProvider.load();
        if (library == null) {
            assertRefused(own, list, label, version, "46");
        } else {
            boolean early = own.equals("unsigning")
                    && version.equals("1_3")
                    && library.name().startsWith("aws-lc ");
            assertRefused(own, list, label, version, early ? UNSIGNING_BY_AWS_LC : alert);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1_2", "1_3"})
    void missingIsRefused(String version) {
        String alert = version.equals("1_3") ? "116" : "40";
        // an older update of the JDK, such as 17.0.15, says that it is bad
        assertRefused("", "", "certificate-missing", version, OpenSslProvider.load() == null ? "42|" + alert : alert);
    }

    /** Whose certificate is good is connected, and told in HTTP that it may not. */
    @ParameterizedTest
    @ValueSource(strings = {"1_2", "1_3"})
    void ofAClientOfAnotherNameIsForbidden(String version) {
        String identity = "\nrequire-identity: [\"spiffe://mesh/ns/a/sa/somebody\"]";
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar =
                        Sidecar.start(Setup.before(backend).listener(pki.listener(required(), "server") + identity))) {
            assertThat(client(sidecar, "good", version).output())
                    .contains("HTTP/1.1 403 Forbidden")
                    .contains("identity-refused");
            awaitFailure(sidecar, "identity-refused");
            assertThat(backend.requests()).isEmpty();
        }
    }

    /** It is counted at the exchange's end, which the peer may hear of before. */
    private static void awaitFailure(Sidecar sidecar, String failure) {
        Await.until(failure, () -> sidecar.metrics().sum("remora_failures_total", "failure", failure) == 1);
    }

    // ---- endpoints

    private void assertNotTaken(String own, String list, String label, String version, String name) throws IOException {
        String tls = "tls: { server-name: " + name + ", " + pki.trust("ca") + crl(list) + " }";
        try (OpensslServer server = new OpensslServer(directory, own, "-tls" + version);
                Sidecar sidecar = Sidecar.start(Setup.at(server.port()).cluster(tls));
                RawClient client = sidecar.client()) {
            RawResponse response =
                    client.send("GET /ca.crt HTTP/1.1\r\nHost: app\r\n\r\n").response();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
            assertThat(failures(sidecar, "cluster", label)).isPositive();
            assertThat(sidecar.metrics().sum("remora_tls_handshakes_total", "side", "cluster"))
                    .isZero();
            awaitFailure(sidecar, "handshake-failed");
            assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_OPENED)).isZero();
            assertTold("cluster app", label);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void ofAnEndpointIsNotTaken(String own, String list, String label, String version, String alert)
            throws IOException {
        // with which openssl's server has no suite of TLS 1.2, and says so itself
        boolean isNotShown = own.equals("unsigning") && version.equals("1_2");
        assertNotTaken(own, list, isNotShown ? "alert" : label, version, "app.test");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1_2", "1_3"})
    void ofAnEndpointOfAnotherNameIsNotTaken(String version) throws IOException {
        assertNotTaken("good", "", "certificate-name", version, "other.test");
    }

    /** So that none of these fails for another reason. */
    @ParameterizedTest
    @ValueSource(strings = {"1_2", "1_3"})
    void thatIsGoodIsTakenOnBothSides(String version) throws IOException {
        String tls = "tls: { server-name: app.test, " + pki.trust("ca") + crl("new") + " }";
        String listener = pki.listener(required() + crl("new"), "server");
        try (OpensslServer server = new OpensslServer(directory, "good", "-tls" + version);
                Sidecar sidecar =
                        Sidecar.start(Setup.at(server.port()).cluster(tls).listener(listener))) {
            assertThat(client(sidecar, "good", version).output()).contains("HTTP/1.1 200");
        }
        assertThat(standardError.text()).doesNotContain("handshake failed");
    }
}
