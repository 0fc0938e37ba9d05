package io.remora.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.tls.CertificateInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificates that the webhook issues, judged by OpenSSL's strict rules. */
final class IssuerTest {
    private static final String HOST = "remora-injector.remora-system.svc";
    private static final List<String> NAMES = List.of(HOST, HOST + ".cluster.local", "remora-injector");
    private static final long NOW_MS = System.currentTimeMillis();

    private final Issuer issuer = new Issuer();

    @TempDir
    private Path directory;

    private Command verify(Certificate authority, Certificate serving, String... more) throws IOException {
        Files.writeString(directory.resolve("ca.crt"), authority.pem());
        Files.writeString(directory.resolve("tls.crt"), serving.pem());
        List<String> command = new java.util.ArrayList<>(
                List.of("openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "ca.crt"));
        command.addAll(List.of(more));
        command.add("tls.crt");
        return Command.run(directory, command.toArray(new String[0]));
    }

    private String text(String file) {
        return Command.run(directory, "openssl", "x509", "-in", file, "-noout", "-text")
                .good();
    }

    @Test
    void chainPassesStrictVerificationForEachName() throws IOException {
        Certificate authority = issuer.authority(NOW_MS);
        Certificate serving = issuer.serving(authority, NAMES, NOW_MS);
        for (String name : NAMES) {
            verify(authority, serving, "-verify_hostname", name).good();
        }
        assertThat(verify(authority, serving, "-verify_hostname", "other.remora-system.svc")
                        .status())
                .isNotZero();
        assertThat(verify(issuer.authority(NOW_MS), serving).status()).isNotZero();
    }

    @Test
    void authoritySignsCertificatesOnlyAndServingCertificateSignsNone() throws IOException {
        Certificate authority = issuer.authority(NOW_MS);
        verify(authority, issuer.serving(authority, NAMES, NOW_MS));
        assertThat(text("ca.crt"))
                .contains("CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign", "id-ecPublicKey", "prime256v1");
        assertThat(text("tls.crt"))
                .contains("CA:FALSE", "Digital Signature", "TLS Web Server Authentication", "ecdsa-with-SHA256");
    }

    @Test
    void keysBelongToCertificates() throws IOException {
        Certificate authority = issuer.authority(NOW_MS);
        for (Certificate each : List.of(authority, issuer.serving(authority, NAMES, NOW_MS))) {
            Files.writeString(directory.resolve("one.crt"), each.pem());
            Files.writeString(directory.resolve("one.key"), each.key());
            String open = Command.run(directory, "openssl", "x509", "-in", "one.crt", "-noout", "-pubkey")
                    .good();
            assertThat(Command.run(directory, "openssl", "pkey", "-in", "one.key", "-pubout")
                            .good())
                    .isEqualTo(open);
        }
    }

    @Test
    void livesAreAYearAndThirtyDaysFromFiveMinutesAgo() throws IOException {
        Certificate authority = issuer.authority(NOW_MS);
        CertificateInfo above = authority.info();
        CertificateInfo serving = issuer.serving(authority, NAMES, NOW_MS).info();
        long seconds = NOW_MS / 1_000;
        assertThat(above.notBeforeMs() / 1_000).isEqualTo(seconds - 300);
        assertThat(above.notAfterMs() / 1_000).isEqualTo(seconds + 365 * 86_400);
        assertThat(serving.notAfterMs() / 1_000).isEqualTo(seconds + 30 * 86_400);
    }

    /** From 2050 on, times have four digits for the year (RFC 5280 4.1.2.5). */
    @Test
    void timesBehind2049AreGeneralized() throws IOException {
        long in2049Ms = 2_524_607_999_000L;
        CertificateInfo above = issuer.authority(in2049Ms).info();
        assertThat(above.notBeforeMs()).isEqualTo(in2049Ms - Issuer.BACKDATED_MS);
        assertThat(above.notAfterMs()).isEqualTo(in2049Ms + Issuer.AUTHORITY_MS);
    }

    @Test
    void serialsHave128BitsAndDiffer() throws IOException {
        Certificate authority = issuer.authority(NOW_MS);
        java.util.Set<String> serials = new java.util.HashSet<>();
        for (int i = 0; i < 8; i++) {
            Files.writeString(
                    directory.resolve("one.crt"),
                    issuer.serving(authority, NAMES, NOW_MS).pem());
            String serial = Command.run(directory, "openssl", "x509", "-in", "one.crt", "-noout", "-serial")
                    .good()
                    .strip();
            assertThat(serial).matches("serial=[89A-F][0-9A-F]{31}");
            serials.add(serial);
        }
        assertThat(serials).hasSize(8);
    }
}
