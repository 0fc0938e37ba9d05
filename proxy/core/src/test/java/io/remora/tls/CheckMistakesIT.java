package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.files.FileWatch;
import io.remora.memory.MemoryCosts;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Pki;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsProtocols;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code remora check} says of every mistake that docs/tls.md leaves room for, and where: at the {@code @}, which
 * stands for nothing. {@code $} is the directory with the files, and {@code GOOD} a certificate with its key.
 */
final class CheckMistakesIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final Pki PKI = TLS.pki();
    private static final String GOOD = "certificates: [{ chain: $/app.crt, key: $/app.key }]";

    @BeforeAll
    static void files() throws IOException {
        PKI.issue("ca", "rsa", "DNS:rsa.test", Pki.RSA, 30)
                .issue("ca", "weak", "DNS:weak.test", Pki.WEAK_RSA, 30)
                .join("disordered", "ca", "app");
        Files.createDirectory(PKI.path("folder"));
        Files.writeString(PKI.path("empty"), "");
        Files.writeString(PKI.path("phrase"), "open sesame\n");
        Files.writeString(PKI.path("wrong"), "open simsim\n");
        write("noise.crt", block("CERTIFICATE", "AAAA"));
        write("noise.key", block("PRIVATE KEY", "AAAA"));
        write("noise.crl", block("X509 CRL", "AAAA"));
        write("base64.crt", block("CERTIFICATE", "A*"));
        write("two.key", Files.readString(PKI.path("app.key")) + Files.readString(PKI.path("server.key")));
        write("cut.key", Files.readString(PKI.path("app.key")).replaceAll("-----END.*", ""));
        PKI.openssl("x509", "-in", "app.crt", "-outform", "DER", "-out", "app.der");
        PKI.openssl("pkcs8", "-topk8", "-in", "app.key", "-passout", "file:phrase", "-out", "encrypted.key");
    }

    private static void write(String file, String text) throws IOException {
        Files.writeString(PKI.path(file), text);
    }

    private static String block(String label, String base64) {
        return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
    }

    // ---- the table

    static Stream<Arguments> mistakes() {
        return Stream.of(chains(), keys(), settings(), clients(), endpoints(), operators())
                .flatMap(rows -> rows.stream());
    }

    private static List<Arguments> chains() {
        String key = "certificates: [{ key: $/app.key, chain: ";
        return List.of(
                listener("@{ mode: strict }", "missing certificates, expected a list of at least one certificate"),
                listener(
                        "{ certificates: @[] }",
                        "certificates is an empty list, expected a list of at least one certificate"),
                listener(
                        "{ certificates: @$/app.crt }",
                        "certificates is '",
                        "', expected a list of at least one certificate"),
                listener("{ certificates: [@{ key: $/app.key }] }", "missing chain, expected the path of a PEM file"),
                listener("{ certificates: [{ @cert: $/x, chain: $/app.crt, key: $/app.key }] }", "unknown key 'cert'"),
                listener("{ " + key + "@'' }] }", "chain is empty, expected the path of a file"),
                listener("{ " + key + "@$/no.crt }] }", "no.crt: cannot be read: No such file or directory"),
                listener("{ " + key + "@$/folder }] }", "folder: cannot be read: Is a directory"),
                listener("{ " + key + "@$/empty }] }", "empty: has no PEM block of a certificate"),
                listener("{ " + key + "@$/app.der }] }", "app.der: has no PEM block of a certificate"),
                listener("{ " + key + "@$/app.key }] }", "has no PEM block of a certificate, but of PRIVATE KEY"),
                listener("{ " + key + "@$/noise.crt }] }", "noise.crt: line 1: not a certificate: malformed DER"),
                listener("{ " + key + "@$/base64.crt }] }", "base64.crt: line 1: CERTIFICATE is not base64"),
                listener(
                        "{ certificates: [{ key: $/ca.key, chain: @$/disordered.crt }] }",
                        "disordered.crt: certificate 2 is not the issuer of certificate 1"));
    }

    private static List<Arguments> keys() {
        String chain = "certificates: [{ chain: $/app.crt, key: ";
        return List.of(
                listener("{ certificates: [@{ chain: $/app.crt }] }", "missing key, expected the path of a PEM file"),
                listener("{ " + chain + "@$/no.key }] }", "no.key: cannot be read: No such file or directory"),
                listener("{ " + chain + "@$/folder }] }", "folder: cannot be read: Is a directory"),
                listener("{ " + chain + "@$/app.crt }] }", "has no PEM block of a private key, but of CERTIFICATE"),
                listener("{ " + chain + "@$/noise.key }] }", "noise.key: malformed DER"),
                listener("{ " + chain + "@$/cut.key }] }", "cut.key: line 1: PRIVATE KEY has no end"),
                listener("{ " + chain + "@$/two.key }] }", "two.key: line 6: only one private key is allowed"),
                listener("{ " + chain + "@$/server.key }] }", "server.key: ", " the certificate"),
                listener("{ " + chain + "@$/rsa.key }] }", "rsa.key: ", " the certificate"),
                listener(
                        "{ " + chain + "@$/encrypted.key }] }",
                        "encrypted.key: the key is encrypted, expected a pass-phrase-file"),
                listener("{ " + chain + "@$/encrypted.key, pass-phrase-file: $/wrong }] }", "wrong pass phrase"),
                listener(
                        "{ " + chain + "@$/app.key, pass-phrase-file: $/phrase }] }",
                        "app.key: the key is not encrypted, but pass-phrase-file is set"),
                listener(
                        "{ " + chain + "$/encrypted.key, pass-phrase-file: @$/no }] }",
                        "no: cannot be read: No such file or directory"));
    }

    private static List<Arguments> settings() {
        return List.of(
                listener("{ " + GOOD + ", min-version: @1.1 }", "min-version is '1.1', expected one of 1.2, 1.3"),
                listener("{ " + GOOD + ", ciphers: [@TLS_RSA_WITH_AES_128_CBC_SHA] }", "ciphers has 'TLS_RSA_"),
                listener(
                        "{ " + GOOD + ", ciphers: @[] }",
                        "ciphers is an empty list, expected a list of at least one name"),
                listener("{ " + GOOD + ", ciphers: @fast }", "ciphers is 'fast', expected a list of at least one name"),
                listener(
                        "{ " + GOOD + ", min-version: 1.3, ciphers: @[TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256] }",
                        "ciphers has none of TLS 1.3, expected one with min-version: 1.3"),
                listener("{ " + GOOD + ", groups: [x25519, @x448] }", "groups has 'x448', expected "),
                listener("{ " + GOOD + ", groups: [x25519, @x25519] }", "groups lists 'x25519' twice"),
                listener("{ " + GOOD + ", mode: @lenient }", "mode is 'lenient', expected one of permissive, strict"),
                listener("{ " + GOOD + ", handshake-timeout: @10 }", "handshake-timeout is '10' without a unit"),
                listener("{ " + GOOD + ", handshakes-in-flight: @0 }", "handshakes-in-flight is '0', expected 1 to"),
                listener("{ " + GOOD + ", @cipher: auto }", "unknown key 'cipher', did you mean 'ciphers'?"));
    }

    private static List<Arguments> clients() {
        String required = "{ " + GOOD + ", client-certificates: required, trust: ";
        return List.of(
                listener("{ " + GOOD + ", client-certificates: @maybe }", "expected one of off, optional, required"),
                listener(
                        "@{ " + GOOD + ", client-certificates: required }",
                        "missing trust, expected the path of a PEM"),
                listener("{ " + GOOD + ", trust: @$/ca.crt }", "trust requires client-certificates"),
                listener(required + "@$/no.crt }", "no.crt: cannot be read: No such file or directory"),
                listener(required + "@$/folder }", "folder: cannot be read: Is a directory"),
                listener(required + "@$/empty }", "empty: has no PEM block of a certificate"),
                listener(required + "@$/ca.key }", "has no PEM block of a certificate, but of PRIVATE KEY"),
                listener(required + "@$/noise.crt }", "noise.crt: line 1: not a certificate: malformed DER"),
                listener("{ " + GOOD + ", crl: @$/x }", "crl requires client-certificates: optional or"),
                listener(required + "$/ca.crt, crl: @$/no.crl }", "no.crl: cannot be read: No such file or directory"),
                listener(required + "$/ca.crt, crl: @$/ca.crt }", "of a revocation list, but of CERTIFICATE"),
                listener(required + "$/ca.crt, crl: @$/noise.crl }", "line 1: not a revocation list: malformed DER"));
    }

    private static List<Arguments> endpoints() {
        return List.of(
                cluster("@{ trust: $/ca.crt }", "missing peer-names, expected the names that endpoints must have"),
                cluster("{ server-name: @10.0.0.1 }", "server-name is '10.0.0.1', expected a DNS name"),
                cluster("{ peer-names: ['@*.a.test'] }".replace("'@", "@'"), "peer name is '*.a.test', expected a DNS"),
                cluster(
                        "{ peer-names: @[] }",
                        "peer-names is an empty list, expected a list of at least one DNS name or URI"),
                cluster("{ server-name: a.test, trust: @$/no.crt }", "no.crt: cannot be read: No such file"),
                cluster("{ server-name: a.test, trust: @$/empty }", "empty: has no PEM block of a certificate"),
                cluster(
                        "{ server-name: a.test, insecure-skip-verification: @yes }",
                        "is 'yes', expected true or false"),
                cluster("{ insecure-skip-verification: true, trust: @$/ca.crt }", "trust requires"),
                cluster("{ insecure-skip-verification: true, crl: @$/x }", "crl requires insecure-skip"),
                cluster("{ server-name: a.test, certificate: @$/app.crt }", "', expected a mapping"),
                cluster(
                        "{ server-name: a.test, certificate: @{ chain: $/app.crt } }",
                        "missing key, expected the path"),
                cluster(
                        "{ server-name: a.test, certificate: { chain: $/app.crt, key: @$/rsa.key } }",
                        "rsa.key: ",
                        " the certificate"),
                cluster("{ server-name: a.test, ciphers: [@RC4] }", "ciphers has 'RC4', expected "),
                cluster("{ server-name: a.test, groups: [@x448] }", "groups has 'x448', expected "),
                cluster("{ server-name: a.test, @mode: strict }", "unknown key 'mode'"));
    }

    private static List<Arguments> operators() {
        return List.of(
                admin("{ tls: { " + GOOD + ", mode: @permissive } }", "mode is 'permissive' for the admin listener"),
                admin("{ tls: { certificates: [{ chain: @$/no, key: $/app.key }] } }", "no: cannot be read: No such"),
                admin("{ address: @'0.0.0.0:1', tls: { " + GOOD + " } }", "is not a loopback address; use"));
    }

    private static Arguments listener(String tls, String... told) {
        return arguments(yaml("{}", tls, "off"), told);
    }

    private static Arguments cluster(String tls, String... told) {
        return arguments(yaml("{}", "off", tls), told);
    }

    private static Arguments admin(String admin, String... told) {
        return arguments(yaml(admin, "off", "off"), told);
    }

    private static String yaml(String admin, String listener, String cluster) {
        return ("admin: " + admin + '\n' + TlsCheckIT.yaml(listener, cluster))
                .replace("$", TLS.directory().toString());
    }

    // ---- its test

    private static List<TlsProvider> providers() {
        TlsProvider openSsl = OpenSslProvider.load();
        return openSsl == null ? List.of(new JdkProvider()) : List.of(new JdkProvider(), openSsl);
    }

    private static List<Problem> problems(TlsProvider provider, String yaml) {
        try {
            throw new AssertionError(
                    "no problem: " + new TlsSetup(provider, new FileWatch()).check("f.yaml", TlsCheckIT.read(yaml)));
        } catch (ConfigException e) {
            return e.problems();
        }
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isToldWhereItStands(String marked, String[] told) {
        for (TlsProvider provider : providers()) {
            isTold(provider, marked, told);
        }
    }

    private static void isTold(TlsProvider provider, String marked, String... told) {
        int at = marked.indexOf('@');
        int line = (int) marked.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
        int column = at - marked.lastIndexOf('\n', at);
        assertThat(problems(provider, marked.replace("@", "")))
                .as(provider.name())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.message())
                            .contains(told)
                            .doesNotContain("an internal error of the TLS provider");
                    assertThat(problem.line() + ":" + problem.column()).isEqualTo(line + ":" + column);
                });
    }

    // ---- what is the engine's own matter

    /** OpenSSL wants keys of 112 bits of security from its own certificates too; the JDK wants that of nobody. */
    @Test
    void tellsOfACertificateThatOnlyTheEngineRefuses() throws ConfigException {
        String yaml = yaml("{}", "{ certificates: [{ key: $/weak.key, chain: @$/weak.crt }] }", "off");
        assertThat(new TlsSetup(new JdkProvider(), new FileWatch())
                        .check("f.yaml", TlsCheckIT.read(yaml.replace("@", ""))))
                .contains("DNS:weak.test");
        TlsProvider openSsl = OpenSslProvider.load();
        if (openSsl != null) {
            isTold(openSsl, yaml, "weak.crt: certificate 1: the certificate is not usable: ee key too small");
        }
    }

    /** Only AWS-LC has it, of the libraries of today; it is no typing error, so the reader takes it. */
    @Test
    void tellsOfAPostQuantumGroupThatTheEngineLacks() throws ConfigException {
        String yaml = yaml("{}", "{ " + GOOD + ", groups: @[X25519MLKEM768, x25519] }", "off");
        for (TlsProvider provider : providers()) {
            boolean has = provider.groups().contains("X25519MLKEM768");
            assertThat(has).isEqualTo(provider.name().startsWith("aws-lc "));
            if (has) {
                assertThat(new TlsSetup(provider, new FileWatch())
                                .check("f.yaml", TlsCheckIT.read(yaml.replace("@", ""))))
                        .contains("DNS:");
            } else {
                isTold(provider, yaml, "groups: TLS by " + provider.name() + ": ");
            }
        }
    }

    /** The reader takes only names that all engines of today have; another build may lack one. */
    @Test
    void tellsWhereACipherStandsThatTheEngineLacks() throws ConfigException {
        String marked = yaml("{}", "{ " + GOOD + ", ciphers: @[TLS_AES_128_GCM_SHA256] }", "off");
        ListenerTls tls = TlsCheckIT.read(marked.replace("@", ""))
                .listeners()
                .get(0)
                .options()
                .get(ListenerTls.TLS);
        ListenerTls lacking = new ListenerTls(
                tls.certificates(),
                new TlsProtocols(
                        "1.3",
                        List.of("TLS_NOT_THERE"),
                        tls.protocols().groups(),
                        tls.protocols().alpn()),
                tls.clientCertificates(),
                null,
                tls.handshakeTimeoutNs(),
                tls.maxHandshakes(),
                tls.mode(),
                null,
                tls.places());
        for (TlsProvider provider : providers()) {
            Materials materials = new Materials(provider, "f.yaml");
            assertThat(new TlsMaterial.OfListener(provider, "listener in", lacking).read(materials))
                    .isNull();
            assertThat(materials.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.message()).startsWith("ciphers: TLS by " + provider.name() + ": ");
                assertThat(problem.line()).isEqualTo(5);
                assertThat(problem.column())
                        .isEqualTo(marked.lines().toList().get(4).indexOf('@') + 1);
            });
        }
    }

    /** A library whose authors thought that nobody would ask for this. */
    @Test
    void tellsWhereAValueStandsThatTheEngineThrowsAt() throws ConfigException {
        TlsProvider throwing = new ThrowingProvider();
        String listener = "{ " + GOOD + " }";
        assertThat(problems(throwing, yaml("{}", listener, "off")))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem).asString().startsWith("f.yaml:5:10: tls: TLS by throwing: ");
                    assertThat(problem.message()).endsWith("IllegalStateException: who asks for that");
                });
        assertThat(problems(throwing, yaml("{}", "off", "{ server-name: a.test, trust: $/ca.crt }")))
                .singleElement()
                .asString()
                .startsWith("f.yaml:9:10: tls: TLS by throwing: ");
    }

    /** The JDK's, up to where a context is made. */
    private static final class ThrowingProvider implements TlsProvider {
        private final TlsProvider jdk = new JdkProvider();

        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public MemoryCosts costs() {
            return jdk.costs();
        }

        @Override
        public List<String> cipherSuites() {
            return jdk.cipherSuites();
        }

        @Override
        public void judge(Credentials credentials) throws TlsException {
            jdk.judge(credentials);
        }

        @Override
        public TlsContext server(ServerSettings settings) {
            throw new IllegalStateException("who asks for that");
        }

        @Override
        public TlsContext client(ClientSettings settings) {
            throw new IllegalStateException("who asks for that");
        }
    }

    // ---- what only the system refuses

    /** As a user who may not read the key; root, who may, becomes another one. */
    @Test
    void tellsOfAFileThatMayNotBeRead() throws IOException {
        write("closed.key", Files.readString(PKI.path("app.key")));
        write("plain.yaml", yaml("{}", "off", "off"));
        write("closed.yaml", yaml("{}", "{ certificates: [{ chain: $/app.crt, key: $/closed.key }] }", "off"));
        for (String file : List.of("app.crt", "plain.yaml", "closed.yaml")) {
            assertThat(PKI.path(file).toFile().setReadable(true, false)).isTrue();
        }
        assertThat(PKI.path("closed.key").toFile().setReadable(false, false)).isTrue();
        assertThat(TLS.directory().toFile().setExecutable(true, false)).isTrue();
        // where another user can run it at all
        assumeTrue(checkAsAnother("plain.yaml").status() == 0);
        Command refused = checkAsAnother("closed.yaml");
        assertThat(refused.status()).isEqualTo(64);
        assertThat(refused.output())
                .startsWith(PKI.path("closed.yaml") + ":5:")
                .endsWith("closed.key: cannot be read: Permission denied\n");
    }

    private static Command checkAsAnother(String configuration) {
        boolean isRoot = Command.run(TLS.directory(), "id", "-u").good().equals("0\n");
        List<String> command = new ArrayList<>();
        if (isRoot) {
            command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-jar", Path.of("target", "remora.jar").toAbsolutePath().toString()));
        command.addAll(List.of("check", PKI.path(configuration).toString()));
        return Command.run(TLS.directory(), command.toArray(new String[0]));
    }
}
