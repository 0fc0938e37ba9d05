package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Pki;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a listener's clients resume sessions of TLS 1.3, by whichever engine there is, and where they must not. */
@EveryEngine
final class ResumptionIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";
    private static final String RESUMED = "Reused, ";
    private static final String SERVED = "HTTP/1.1 200";
    private static final String[] OF_A = {"-tls1_3", "-servername", "a.test"};
    private static final String IDENTITY = "spiffe://mesh/ns/a/sa/client";

    @TempDir
    static Path directory;

    /** What openssl's client says of a ticket of TLS 1.3. */
    private static final String TICKET = "New Session Ticket arrived";

    private static Pki pki;

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private int sessions;

    @BeforeAll
    static void certificates() throws IOException {
        pki = new Pki(directory);
        Revocations lists = new Revocations(pki).authority("ca").authority("other");
        pki.issue("ca", "server", "DNS:localhost,DNS:a.test")
                .issue("ca", "second", "DNS:b.test")
                .issue("ca", "client", "URI:" + IDENTITY);
        lists.list("none", "ca").list("it", "ca", "client");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @BeforeEach
    void trustTheFirst() throws IOException {
        put("ca.crt", "trust.crt");
        put("none.crl", "used.crl");
    }

    private static void put(String file, String as) throws IOException {
        Path fresh = Files.copy(pki.path(file), pki.path("fresh"));
        Files.move(fresh, pki.path(as), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Sidecar start(String more) {
        String tls = pki.listener(more, "server", "second");
        return Sidecar.start(Setup.before(backend).listener(tls));
    }

    /** One that requires certificates, of files that tests replace. */
    private Sidecar startForCertificates() {
        String files = "trust: \"" + pki.path("trust.crt") + "\", crl: \"" + pki.path("used.crl") + "\"";
        String tls = pki.listener("client-certificates: required, " + files, "server", "second");
        return Sidecar.start(Setup.before(backend).listener(tls + "\nrequire-identity: [\"" + IDENTITY + "\"]"));
    }

    /** What openssl's client says, with these words of its own; it resumes the session of a file, and keeps what it gets in another. */
    private static String client(Sidecar sidecar, Path resumed, Path kept, String... words) {
        int port = sidecar.address().getPort();
        List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-connect", "127.0.0.1:" + port));
        command.addAll(List.of("-CAfile", "ca.crt", "-ign_eof", "-sess_out", kept.toString()));
        if (Files.exists(resumed)) {
            command.addAll(List.of("-sess_in", resumed.toString()));
        }
        command.addAll(List.of(words));
        return Command.fed(directory, GET, command.toArray(new String[0])).output();
    }

    private Path fresh() {
        return pki.path("session-" + sessions++);
    }

    /** A session of a full handshake. */
    private Path begun(Sidecar sidecar, String... words) {
        Path kept = fresh();
        assertThat(client(sidecar, pki.path("nothing"), kept, words))
                .contains(SERVED)
                .doesNotContain(RESUMED);
        assertThat(kept).exists();
        return kept;
    }

    private static String[] showing(String name) {
        return new String[] {"-tls1_3", "-servername", "a.test", "-cert", name + ".crt", "-key", name + ".key"};
    }

    @Test
    void resumesWithinAListener() {
        try (Sidecar sidecar = startForCertificates()) {
            Path session = begun(sidecar, showing("client"));
            // the identity comes with the session
            assertThat(client(sidecar, session, fresh(), showing("client")))
                    .contains(RESUMED)
                    .contains(SERVED);
            Await.until(
                    "counted",
                    () -> sidecar.metrics()
                                    .sum("remora_tls_handshake_seconds_count", "side", "listener", "resumed", "true")
                            == 1);
        }
    }

    /** By the JDK's engine, as it could not say when a session that is resumed again and again was verified first. */
    @Test
    void theJdksEngineGivesNoTicketForAResumedSession() {
        try (Sidecar sidecar = start("")) {
            Path session = begun(sidecar, OF_A);
            Path next = fresh();
            String answer = client(sidecar, session, next, OF_A);
            assertThat(answer).contains(RESUMED).contains(SERVED);
            if (OpenSslProvider.load() == null) {
                assertThat(answer).doesNotContain(TICKET);
                // what is kept is the session before, which is good once more
                assertThat(client(sidecar, session, fresh(), OF_A)).contains(SERVED);
                assertThat(client(sidecar, pki.path("nothing"), fresh(), OF_A))
                        .contains(TICKET)
                        .doesNotContain(RESUMED);
            }
        }
    }

    @Test
    void anotherListenerDoesNotResumeTheSession() {
        try (Sidecar sidecar = start("");
                Sidecar other = start("")) {
            Path session = begun(sidecar, OF_A);
            assertThat(client(other, session, fresh(), OF_A)).contains(SERVED).doesNotContain(RESUMED);
        }
    }

    @Test
    void anotherNameTakesAFullHandshake() {
        try (Sidecar sidecar = start("")) {
            Path session = begun(sidecar, OF_A);
            String answer = client(sidecar, session, fresh(), "-tls1_3", "-servername", "b.test");
            assertThat(answer).contains(SERVED).doesNotContain(RESUMED).contains("subject=CN = second");
            // and of the same certificate
            answer = client(sidecar, begun(sidecar, OF_A), fresh(), "-tls1_3", "-servername", "localhost");
            assertThat(answer).contains(SERVED).doesNotContain(RESUMED);
        }
    }

    /** Whoever leaves out the name that it began with breaks RFC 6066 3. */
    @Test
    void noNameIsNotTheSameName() {
        try (Sidecar sidecar = start("")) {
            Path session = begun(sidecar, "-tls1_3", "-servername", "b.test");
            String answer = client(sidecar, session, fresh(), "-tls1_3", "-noservername");
            assertThat(answer.contains(RESUMED) && answer.contains(SERVED)).isFalse();
        }
    }

    @Test
    void anotherTrustTakesAFullHandshake() throws IOException {
        try (Sidecar sidecar = startForCertificates()) {
            Path session = begun(sidecar, showing("client"));
            put("other.crt", "trust.crt");
            Await.until("taken", () -> reloads(sidecar) == 1);
            assertThat(client(sidecar, session, fresh(), showing("client")))
                    .doesNotContain(RESUMED)
                    .doesNotContain(SERVED);
        }
    }

    @Test
    void whoIsRevokedMeanwhileIsRefused() throws IOException {
        try (Sidecar sidecar = startForCertificates()) {
            Path session = begun(sidecar, showing("client"));
            put("it.crl", "used.crl");
            Await.until("taken", () -> reloads(sidecar) == 1);
            assertThat(client(sidecar, session, fresh(), showing("client"))).doesNotContain(SERVED);
            assertThat(sidecar.metrics().sum("remora_tls_handshake_failures_total", "reason", "certificate-revoked"))
                    .isOne();
        }
    }

    private static long reloads(Sidecar sidecar) {
        return sidecar.metrics().sum("remora_tls_reloads_total", "outcome", "taken");
    }

    // ---- certificates that expire

    private static void issueUntil(Instant end, String name) throws IOException {
        Files.writeString(pki.path("until.index"), "");
        Files.writeString(pki.path("until.cnf"), """
                [ca]
                default_ca=d
                [d]
                database=until.index
                new_certs_dir=.
                rand_serial=yes
                default_md=sha256
                copy_extensions=copy
                policy=p
                [p]
                commonName=supplied
                """);
        pki.issue("ca", name, "URI:" + IDENTITY);
        String until = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(end);
        pki.openssl(
                "ca",
                "-batch",
                "-config",
                "until.cnf",
                "-keyfile",
                "ca.key",
                "-cert",
                "ca.crt",
                "-notext",
                "-in",
                name + ".csr",
                "-out",
                name + ".crt",
                "-enddate",
                until);
    }

    @Test
    void whoseCertificateExpiresMeanwhileIsRefused() throws IOException {
        Instant end = Instant.now().plusSeconds(6);
        issueUntil(end, "short");
        try (Sidecar sidecar = startForCertificates()) {
            Path kept = fresh();
            assertThat(client(sidecar, pki.path("nothing"), kept, showing("short")))
                    .contains(SERVED);
            // the JDK's engine gives no ticket for what ends within the time that it may be resumed
            assertThat(Files.exists(kept)).isEqualTo(OpenSslProvider.load() != null);
            Await.until("expired", () -> Instant.now().isAfter(end.plusSeconds(1)));
            assertThat(client(sidecar, kept, fresh(), showing("short"))).doesNotContain(SERVED);
        }
    }

    /** What a resumed session is judged by, where the clock has been set meanwhile. */
    @Test
    void whatIsResumedIsVerifiedAsIfItWereShownNow() throws IOException, CertificateException {
        issueUntil(Instant.now().minusSeconds(60), "late");
        List<byte[]> ca = CertificateFile.read(pki.path("ca.crt").toString());
        JdkTrust trust = new JdkTrust(
                ca, RevocationFile.read(Pem.read(pki.path("none.crl").toString())), null);
        JdkTrust revokes =
                new JdkTrust(ca, RevocationFile.read(Pem.read(pki.path("it.crl").toString())), null);
        trust.checkAgain(chain("client"));
        assertThatThrownBy(() -> trust.checkAgain(chain("late"))).isInstanceOf(CertificateException.class);
        assertThatThrownBy(() -> trust.checkAgain(chain("other"))).isInstanceOf(CertificateException.class);
        assertThatThrownBy(() -> revokes.checkAgain(chain("client")))
                .isInstanceOfSatisfying(
                        CertificateException.class,
                        e -> assertThat(JdkFailures.of(e).failure()).isEqualTo(TlsFailure.CERTIFICATE_REVOKED));
    }

    private static X509Certificate[] chain(String name) throws IOException {
        return JdkTrust.certificates(
                CertificateFile.read(pki.path(name + ".crt").toString()));
    }
}
