package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.testkit.Pki;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ForwardedCertificateTest {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int OBJECT = 0x06;
    private static final byte[] COMMON_NAME = {0x55, 4, 3};

    @TempDir
    static Path directory;

    private static Pki pki;

    @BeforeAll
    static void authority() {
        pki = new Pki(directory).authority("ca");
    }

    private static byte[] der(String name) {
        Command.run(directory, "openssl", "x509", "-in", name + ".crt", "-outform", "DER", "-out", name + ".der")
                .good();
        try {
            return Files.readAllBytes(pki.path(name + ".der"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A certificate with this subject, as openssl's command line writes one. */
    private static byte[] withSubject(String subject) {
        pki.requestWithNewKey("subject", subject, "-x509", "-utf8", "-out", "subject.crt");
        return der("subject");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '~',
            value = {
                "/CN=a # CN=a",
                "/C=DE/ST=Berlin/L=Berlin/O=Acme/OU=Ops/CN=a b # CN=a b,OU=Ops,O=Acme,L=Berlin,ST=Berlin,C=DE",
                "/DC=org/DC=example/UID=x # UID=x,DC=example,DC=org",
                "/O=Acme, Inc. # O=Acme\\2C Inc.",
                "/O=a\\+b;c<d>e # O=a\\2Bb\\3Bc\\3Cd\\3Ee",
                "/O=a\"b # O=a\\22b",
                "/O=a\\\\ # O=a\\5C",
                "/O=\\ a # O=\\20a",
                "/O=M\u00fcller # O=M\\C3\\BCller",
                "/O=\u65e5 # O=\\E6\\97\\A5",
                "/emailAddress=a@b.test # 1.2.840.113549.1.9.1=a@b.test",
            })
    void writesTheSubject(String subject, String text) {
        assertThat(ForwardedCertificate.of(withSubject(subject), null, false)).contains(";Subject=\"" + text + "\"");
    }

    @Test
    void writesAnEmptySubject() {
        assertThat(ForwardedCertificate.of(withSubject("/"), null, false)).endsWith(";Subject=\"\"");
    }

    @Test
    void writesSeveralAttributesOfOneSet() {
        pki.requestWithNewKey("multi", "/O=x/CN=a+UID=b", "-x509", "-multivalue-rdn", "-out", "multi.crt");
        assertThat(ForwardedCertificate.of(der("multi"), null, false))
                .contains("+")
                .contains("CN=a")
                .endsWith(",O=x\"");
    }

    /** What has no text of its own is written as its octets, and what is no name is told as none. */
    @Test
    void writesOtherValues() throws TlsException {
        assertThat(DistinguishedName.of(attribute(0x04, new byte[] {1, (byte) 0xab})))
                .isEqualTo("CN=#040201AB");
        assertThat(DistinguishedName.of(attribute(0x1e, "a\u00e9".getBytes(StandardCharsets.UTF_16BE))))
                .isEqualTo("CN=a\\C3\\A9");
        assertThat(DistinguishedName.of(attribute(0x14, new byte[] {'a', (byte) 0xe9})))
                .isEqualTo("CN=a\\C3\\A9");
        assertThat(DistinguishedName.of(attribute(0x0c, new byte[] {'a', 0, '\r', '\n', 0x7f})))
                .isEqualTo("CN=a\\00\\0D\\0A\\7F");
    }

    private static byte[] attribute(int tag, byte[] value) {
        return Der.element(SET, Der.element(SEQUENCE, Der.element(OBJECT, COMMON_NAME), Der.element(tag, value)));
    }

    @Test
    void quotesNamesThatWouldEnd() {
        pki.issue("ca", "names", "URI:http://a.test/?x=1;y=2,URI:spiffe://mesh/a,DNS:a.test,DNS:*.b.test,IP:1.2.3.4");
        assertThat(ForwardedCertificate.of(der("names"), der("names"), false))
                .startsWith("By=\"http://a.test/?x=1;y=2\";By=spiffe://mesh/a;Hash=")
                .endsWith(
                        ";Subject=\"CN=names\";URI=\"http://a.test/?x=1;y=2\";URI=spiffe://mesh/a;DNS=a.test;DNS=*.b.test");
    }

    @Test
    void leavesNamesOutThatCouldForge() {
        pki.issue("ca", "forged", "URI:x\\\";Hash=1;URI=y,DNS:a;b.test,URI:good:one");
        assertThat(ForwardedCertificate.of(der("forged"), null, false))
                .endsWith(";Subject=\"CN=forged\";URI=good:one")
                .startsWith("Hash=");
    }

    @Test
    void isBounded() {
        StringBuilder names = new StringBuilder("DNS:a.test");
        for (int i = 0; i < 1_000; i++) {
            names.append(",DNS:a").append(i).append(".test");
        }
        pki.issue("ca", "many", names.toString());
        assertThat(ForwardedCertificate.of(der("many"), null, false)).matches("Hash=[0-9a-f]{64}");
    }

    /** What an application decodes is the file, octet by octet. */
    @ParameterizedTest
    @ValueSource(strings = {Pki.P256, Pki.RSA, Pki.ED25519})
    void hasTheCertificateItselfWhereThatIsWanted(String algorithm) throws IOException {
        pki.issue("ca", "whole", "URI:spiffe://mesh/a,DNS:a.test", algorithm, 30);
        String element = ForwardedCertificate.of(der("whole"), der("whole"), true);
        assertThat(element)
                .matches("By=spiffe://mesh/a;Hash=[0-9a-f]{64};Cert=\"[-A-Za-z0-9%]*\";Subject=\"CN=whole\";"
                        + "URI=spiffe://mesh/a;DNS=a.test");
        String encoded = element.substring(element.indexOf("Cert=\"") + 6, element.indexOf("\";Subject"));
        assertThat(URLDecoder.decode(encoded, StandardCharsets.US_ASCII))
                .isEqualTo(Files.readString(pki.path("whole.crt")));
        assertThat(ForwardedCertificate.hasPem(element)).isTrue();
        assertThat(ForwardedCertificate.of(der("whole"), null, true))
                .startsWith("Hash=")
                .contains(";Cert=\"-----BEGIN%20");
    }

    /** The names stay where there is room for them, and the digest in any case. */
    @Test
    void leavesTheCertificateOutFirst() {
        String forged = ForwardedCertificate.of(withSubject("/CN=;Cert=\"x"), null, false);
        assertThat(ForwardedCertificate.hasPem(forged)).isFalse();
        StringBuilder names = new StringBuilder("DNS:a.test");
        for (int i = 0; i < 200; i++) {
            names.append(",DNS:a").append(i).append(".large.certificate.test");
        }
        pki.issue("ca", "large", names.toString());
        assertThat(der("large").length).isBetween(5_000, 8_192);
        String element = ForwardedCertificate.of(der("large"), null, true);
        assertThat(ForwardedCertificate.hasPem(element)).isFalse();
        assertThat(element)
                .isEqualTo(ForwardedCertificate.of(der("large"), null, false))
                .endsWith(";DNS=a199.large.certificate.test");
    }

    @Test
    void takesNoNameForTheCertificate() {
        pki.issue("ca", "named", "URI:x:a;Cert=,URI:x:b");
        String element = ForwardedCertificate.of(der("named"), null, false);
        assertThat(element).endsWith(";URI=\"x:a;Cert=\";URI=x:b");
        assertThat(ForwardedCertificate.hasPem(element)).isFalse();
    }

    @Test
    void tellsNothingOfWhatIsNoCertificate() {
        byte[] certificate = withSubject("/CN=a");
        assertThat(ForwardedCertificate.of(new byte[0], null, false)).isEmpty();
        assertThat(ForwardedCertificate.of(Arrays.copyOf(certificate, certificate.length - 1), null, false))
                .isEmpty();
    }
}
