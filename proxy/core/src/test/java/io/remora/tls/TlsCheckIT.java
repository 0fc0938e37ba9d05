package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.files.FileWatch;
import io.remora.metrics.Stats;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Pki;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code remora check} says of the files that TLS needs; all were written by openssl. */
final class TlsCheckIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final Pki PKI = TLS.pki();

    @BeforeAll
    static void certificates() throws IOException {
        PKI.authorityBelow("ca", "middle")
                .issue("ca", "ec", "DNS:ec.test,URI:spiffe://mesh/a")
                .issue("ca", "rsa", "DNS:rsa.test", Pki.RSA, 400)
                .issue("ca", "ed25519", "DNS:ed.test", Pki.ED25519, 30)
                .issue("ca", "expired", "DNS:old.test", Pki.P256, -1)
                .issue("middle", "leaf", "DNS:leaf.test")
                .join("chain", "leaf", "middle", "ca")
                .join("disordered", "middle", "leaf");
        Files.writeString(PKI.path("phrase"), "open sesame\n");
        Files.writeString(PKI.path("wrong-phrase"), "open simsim\n");
        Files.writeString(PKI.path("empty"), "");
        Files.writeString(
                PKI.path("cut.key"), Files.readString(PKI.path("ec.key")).replaceAll("-----END.*", ""));
        Files.writeString(PKI.path("noise.crt"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        PKI.openssl("ec", "-in", "ec.key", "-out", "sec1.key");
        PKI.openssl("rsa", "-in", "rsa.key", "-traditional", "-out", "pkcs1.key");
        PKI.openssl("pkcs8", "-topk8", "-in", "ec.key", "-passout", "file:phrase", "-out", "encrypted.key");
        PKI.openssl(
                "pkcs8",
                "-topk8",
                "-in",
                "ec.key",
                "-v1",
                "PBE-SHA1-3DES",
                "-passout",
                "file:phrase",
                "-out",
                "encrypted-3des.key");
        PKI.openssl("rsa", "-in", "rsa.key", "-traditional", "-aes128", "-passout", "file:phrase", "-out", "old.key");
    }

    /** A configuration with these values of {@code tls}. */
    static String yaml(String listenerTls, String clusterTls) {
        return """
            listeners:
              - address: "127.0.0.1:0"
                cluster: app
                tls: LISTENER
            clusters:
              app:
                endpoints: ["127.0.0.1:1"]
                tls: CLUSTER
            """.replace("LISTENER", listenerTls).replace("CLUSTER", clusterTls);
    }

    static ProxyConfig read(String yaml) throws ConfigException {
        ByteArrayInputStream in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        return ConfigReader.read("f.yaml", in, Map.of(), new FeatureList());
    }

    private static ProxyConfig config(String listenerTls, String clusterTls) throws ConfigException {
        return read(yaml(listenerTls, clusterTls).replace("$", TLS.directory().toString()));
    }

    private static String check(String listenerTls, String clusterTls) throws ConfigException {
        return new TlsSetup(new JdkProvider(), new FileWatch()).check("f.yaml", config(listenerTls, clusterTls));
    }

    /** Of a listener with this certificate and key. */
    private static String check(String chain, String key, String more) throws ConfigException {
        return check(
                "{ certificates: [{ chain: \"" + PKI.path(chain) + "\", key: \"" + PKI.path(key) + "\"" + more
                        + " }] }",
                "off");
    }

    private static List<String> problems(String chain, String key, String more) {
        try {
            throw new AssertionError("no problem: " + check(chain, key, more));
        } catch (ConfigException e) {
            List<String> problems = new ArrayList<>();
            e.problems()
                    .forEach(problem -> problems.add(
                            problem.line() + ": " + problem.message().replace(TLS.directory() + "/", "")));
            return problems;
        }
    }

    private static String phrase(String file) {
        return ", pass-phrase-file: \"" + PKI.path(file) + "\"";
    }

    @ParameterizedTest
    @ValueSource(strings = {"ec.key", "sec1.key"})
    void readsEcKeys(String key) throws ConfigException {
        assertThat(check("ec.crt", key, ""))
                .isEqualTo("listener listener-1: certificate " + PKI.path("ec.crt")
                        + ", a chain of 1: DNS:ec.test, URI:spiffe://mesh/a; expires in 29 days\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsa.key", "pkcs1.key"})
    void readsRsaKeys(String key) throws ConfigException {
        assertThat(check("rsa.crt", key, "")).contains("DNS:rsa.test; expires in 399 days");
    }

    @Test
    void readsWhatElseThereIs() throws ConfigException {
        assertThat(check("ed25519.crt", "ed25519.key", "")).contains("DNS:ed.test");
        assertThat(check("chain.crt", "leaf.key", "")).contains("DNS:leaf.test");
        assertThat(check("ec.crt", "encrypted.key", phrase("phrase"))).contains("DNS:ec.test");
        assertThat(check("expired.crt", "expired.key", "")).contains("DNS:old.test; expired 1 day ago");
    }

    @Test
    void tellsWhatIsWrongWithAKey() {
        assertThat(problems("ec.crt", "rsa.key", ""))
                .containsExactly("4: rsa.key: the key does not belong to the certificate");
        assertThat(problems("ec.crt", "leaf.key", "")).first().asString().contains("does not belong");
        assertThat(problems("ec.crt", "absent.key", ""))
                .containsExactly("4: absent.key: cannot be read: No such file or directory");
        assertThat(problems("ec.crt", "empty", "")).containsExactly("4: empty: has no PEM block of a private key");
        assertThat(problems("ec.crt", "cut.key", "")).containsExactly("4: cut.key: line 1: PRIVATE KEY has no end");
        assertThat(problems("ec.crt", "encrypted.key", ""))
                .containsExactly("4: encrypted.key: the key is encrypted, expected a pass-phrase-file");
        assertThat(problems("ec.crt", "encrypted.key", phrase("wrong-phrase")))
                .first()
                .asString()
                .contains("wrong pass phrase");
        assertThat(problems("ec.crt", "ec.key", phrase("phrase")))
                .first()
                .asString()
                .contains("is not encrypted");
        assertThat(problems("rsa.crt", "old.key", phrase("phrase")))
                .first()
                .asString()
                .contains("openssl pkcs8 -topk8");
    }

    @Test
    void tellsWhatIsWrongWithAChain() {
        assertThat(problems("ec.key", "ec.key", ""))
                .containsExactly("4: ec.key: has no PEM block of a certificate, but of PRIVATE KEY");
        assertThat(problems("noise.crt", "ec.key", ""))
                .containsExactly("4: noise.crt: line 1: not a certificate: malformed DER");
        assertThat(problems("disordered.crt", "middle.key", ""))
                .first()
                .asString()
                .contains("certificate 2 is not the issuer of certificate 1");
    }

    @Test
    void tellsEverythingAtOnce() throws ConfigException {
        String certificate = "{ chain: \"" + PKI.path("no.crt") + "\", key: \"" + PKI.path("no.key") + "\" }";
        String listener =
                "{ certificates: [" + certificate + "], client-certificates: required, trust: \"/no/trust\" }";
        String cluster = "{ trust: \"/no/other\", server-name: a.test, certificate: " + certificate + " }";
        try {
            throw new AssertionError("no problem: " + check(listener, cluster));
        } catch (ConfigException e) {
            assertThat(e.problems()).hasSize(6).allSatisfy(problem -> {
                assertThat(problem.message()).endsWith("cannot be read: No such file or directory");
                assertThat(problem.column()).isGreaterThan(10);
            });
        }
    }

    /** A file that goes between the check of a start and the start itself is not missed, and no key stays behind. */
    @Test
    void readsEachFileOnceForAStart() throws IOException, ConfigException {
        for (String file : List.of("ec.crt", "ec.key", "ca.crt")) {
            Files.copy(PKI.path(file), PKI.path("brief-" + file));
        }
        String certificate = PKI.certificate("brief-ec");
        ProxyConfig config = config(
                "{ certificates: [" + certificate + "] }",
                "{ " + PKI.trust("brief-ca") + ", server-name: a.test, certificate: " + certificate + " }");
        ListenerConfig listener = config.listeners().get(0);
        ClusterConfig cluster = config.clusters().get("app");
        TlsSetup setup = new TlsSetup(new JdkProvider(), new FileWatch());
        assertThat(setup.check("f.yaml", config)).contains("listener listener-1: ", "cluster app: ");
        for (String file : List.of("ec.crt", "ec.key", "ca.crt")) {
            Files.delete(PKI.path("brief-" + file));
        }
        setup.of(listener, listener.options().get(ListenerTls.TLS), new Stats());
        setup.of(cluster, cluster.options().get(ClusterTls.TLS), new Stats());
        assertThatThrownBy(() -> setup.of(listener, listener.options().get(ListenerTls.TLS), new Stats()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("listener listener-1: " + PKI.path("brief-ec.crt"));
        assertThatThrownBy(() -> setup.of(cluster, cluster.options().get(ClusterTls.TLS), new Stats()))
                .hasMessageStartingWith("cluster app: ");
    }

    /** The JDK has one list for all of a process. */
    @Test
    void tellsWhereTheJdkCannotHaveOtherGroups() throws IOException {
        String one = "{ certificates: [" + PKI.certificate("ec") + "], groups: [GROUP] }";
        String yaml =
                """
                listeners:
                  - { name: one, address: "127.0.0.1:0", cluster: app, tls: ONE }
                  - { name: two, address: "127.0.0.1:0", cluster: app, tls: TWO }
                clusters: { app: { endpoints: ["127.0.0.1:1"] } }
                """.replace("ONE", one.replace("GROUP", "x25519")).replace("TWO", one.replace("GROUP", "secp256r1"));
        Path file = Files.writeString(PKI.path("groups.yaml"), yaml);
        int column = yaml.lines().toList().get(2).indexOf("[secp256r1]") + 1;
        Command refused = remora("check", file.toString());
        assertThat(refused.status()).isEqualTo(64);
        assertThat(refused.output())
                .startsWith(file + ":3:" + column + ": groups: TLS by jdk ")
                .contains("the JDK supports one list of groups per process: secp256r1 and x25519");
    }

    @Test
    void tellsOfNamesThatAnotherCertificateAnswers() throws ConfigException {
        PKI.issue("ca", "double", "DNS:other.test,DNS:ec.test");
        String certificates = PKI.certificate("ec") + ", " + PKI.certificate("rsa") + ", " + PKI.certificate("double");
        assertThat(check("{ certificates: [" + certificates + "] }", "off"))
                .contains("DNS:ec.test, URI:spiffe://mesh/a; expires in 29 days\n")
                .endsWith("; expires in 29 days; never shown for ec.test: one before it has that\n");
    }

    @Test
    void trustsTheSystemsBundle() throws ConfigException {
        assertThat(check("off", "{ server-name: a.test }")).matches("cluster app: trust system: \\d+ certificates\n");
    }

    // ---- all that a file has

    /** Files that were joined without a newline between them, and files with a byte order mark. */
    @Test
    void countsWhatItReads() throws IOException, ConfigException {
        String ca = text("ca.crt").strip();
        Files.writeString(PKI.path("joined.crt"), ca + text("middle.crt").strip() + text("ca.crt"));
        Files.writeString(PKI.path("marked.crt"), "\ufeff" + ca);
        Files.writeString(
                PKI.path("long.crt"),
                "\ufeff" + text("leaf.crt").strip() + text("middle.crt").strip() + ca);
        Files.writeString(PKI.path("marked-phrase"), "\ufeffopen sesame\r\n");
        String own = "{ chain: $/long.crt, key: $/leaf.key }";
        String clients = "client-certificates: required, trust: $/joined.crt";
        String told =
                check("{ certificates: [" + own + "], " + clients + " }", "{ server-name: a, trust: $/marked.crt }");
        assertThat(told.replace(TLS.directory().toString(), "$")).isEqualTo("""
            listener listener-1: certificate $/long.crt, a chain of 3: DNS:leaf.test; expires in 29 days
            listener listener-1: trust $/joined.crt: 3 certificates
            cluster app: trust $/marked.crt: 1 certificate
            """);
        assertThat(check("ec.crt", "encrypted.key", phrase("marked-phrase"))).contains("DNS:ec.test");
    }

    @Test
    void tellsOfBlocksThatItHasNoUseFor() throws IOException, ConfigException {
        String whole =
                text("ec.crt") + text("ec.key") + "-----BEGIN EC PARAMETERS-----\nBggq\n-----END EC PARAMETERS-----\n";
        Files.writeString(PKI.path("whole.pem"), whole);
        Files.writeString(PKI.path("mixed.pem"), text("ca.crt") + text("ec.key") + text("ec.csr"));
        String own = "{ chain: $/whole.pem, key: $/whole.pem }";
        String trust = "client-certificates: required, trust: $/mixed.pem";
        assertThat(check("{ certificates: [" + own + "], " + trust + " }", "off")
                        .replace(TLS.directory().toString(), "$"))
                .contains("certificate $/whole.pem, a chain of 1: ")
                .endsWith("listener listener-1: trust $/mixed.pem: 1 certificate\n"
                        + "listener listener-1: $/mixed.pem: not used: PRIVATE KEY on line " + (1 + lines("ca.crt"))
                        + ", CERTIFICATE REQUEST on line " + (1 + lines("ca.crt") + lines("ec.key")) + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRUSTED CERTIFICATE", "PKCS7", "CMS"})
    void refusesCertificatesInAnotherForm(String label) throws IOException {
        Files.writeString(PKI.path("other.pem"), text("ca.crt") + text("ec.crt").replace("CERTIFICATE", label));
        assertThatThrownBy(() -> check("off", "{ server-name: a, trust: $/other.pem }"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("other.pem: line " + (1 + lines("ca.crt")) + ": certificates as " + label
                        + " are not supported, convert them with openssl");
    }

    private static String text(String file) throws IOException {
        return Files.readString(PKI.path(file));
    }

    private static int lines(String file) throws IOException {
        return (int) text(file).lines().count();
    }

    /** As a user runs it. */
    @Test
    void isTheCommands() throws IOException {
        String yaml = """
            listeners:
              - address: "127.0.0.1:0"
                cluster: app
                tls: { certificates: [{ chain: "CHAIN", key: "KEY" }] }
            clusters: { app: { endpoints: ["127.0.0.1:1"] } }
            """.replace("CHAIN", PKI.path("ec.crt").toString());
        Path good = Files.writeString(
                PKI.path("good.yaml"), yaml.replace("KEY", PKI.path("ec.key").toString()));
        Path bad = Files.writeString(
                PKI.path("bad.yaml"), yaml.replace("KEY", PKI.path("rsa.key").toString()));
        assertThat(remora("check", good.toString()).good())
                .contains("DNS:ec.test, URI:spiffe://mesh/a; expires in 29 days\n")
                .endsWith(good + ": ok\n");
        for (String[] command : new String[][] {{"check", bad.toString()}, {"run", "--config", bad.toString()}}) {
            Command refused = remora(command);
            assertThat(refused.status()).isEqualTo(64);
            assertThat(refused.output()).startsWith(bad + ":4:").contains("rsa.key: ");
        }
    }

    static Command remora(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-jar", Path.of("target", "remora.jar").toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return Command.run(TLS.directory(), command.toArray(new String[0]));
    }
}
