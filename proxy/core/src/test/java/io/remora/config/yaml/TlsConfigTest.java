package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsCertificate;
import io.remora.tls.config.TlsFile;
import io.remora.tls.config.TlsPlaces;
import io.remora.tls.config.TlsProtocols;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The {@code tls} of listeners and clusters. */
final class TlsConfigTest {
    private static final String LISTENER = """
        mode: permissive
              certificates:
              - chain: /a.crt
                key: /a.key
              - { chain: /b.crt, key: /b.key, pass-phrase-file: /b.phrase }
              min-version: 1.3
              ciphers: [TLS_AES_256_GCM_SHA384]
              groups: [secp384r1, x25519]
              client-certificates: required
              trust: /clients.crt
              crl: /clients.crl
              handshake-timeout: 3s
              handshakes-in-flight: 7
        """;

    private static final String CLUSTER = """
        trust: /ca.crt
              server-name: App.Test
              peer-names: [app.test, "spiffe://mesh/ns/a/sa/b"]
              insecure-skip-verification: false
              certificate: { chain: /c.crt, key: /c.key, pass-phrase-file: /c.phrase }
              min-version: "1.2"
              ciphers: auto
              groups: auto
        """;

    private static String yaml(String listener, String cluster) {
        return """
            listeners:
              - address: 0.0.0.0:8080
                cluster: app
                tls:
                  LISTENER
            clusters:
              app:
                endpoints: ["127.0.0.1:8081"]
                tls:
                  CLUSTER
            """.replace("LISTENER", listener).replace("CLUSTER", cluster);
    }

    private static TlsFile file(String path) {
        return new TlsFile(path, 0, 0);
    }

    @Test
    void readsEveryKey() throws ConfigException {
        ProxyConfig config = Yaml.read(yaml(LISTENER, CLUSTER));
        assertThat(config.hasTls()).isTrue();
        assertThat(config.listeners().get(0).tls())
                .isEqualTo(new ListenerTls(
                        List.of(
                                new TlsCertificate(file("/a.crt"), file("/a.key"), null),
                                new TlsCertificate(file("/b.crt"), file("/b.key"), file("/b.phrase"))),
                        new TlsProtocols(
                                "1.3",
                                List.of("TLS_AES_256_GCM_SHA384"),
                                List.of("secp384r1", "x25519"),
                                List.of("http/1.1")),
                        ListenerTls.ClientCertificates.REQUIRED,
                        file("/clients.crt"),
                        3_000_000_000L,
                        7,
                        ListenerTls.Mode.PERMISSIVE,
                        file("/clients.crl"),
                        TlsPlaces.NONE));
        assertThat(config.clusters().get("app").options().get(ClusterTls.TLS))
                .isEqualTo(new ClusterTls(
                        file("/ca.crt"),
                        "app.test",
                        List.of("app.test"),
                        List.of("spiffe://mesh/ns/a/sa/b"),
                        true,
                        new TlsCertificate(file("/c.crt"), file("/c.key"), file("/c.phrase")),
                        new TlsProtocols("1.2", List.of(), List.of(), ClusterTls.HTTP1_ONLY),
                        null,
                        TlsPlaces.NONE));
    }

    @Test
    void isShownAsItIsRead() throws ConfigException {
        ProxyConfig config = Yaml.read(yaml(LISTENER, CLUSTER));
        ProxyConfig again = Yaml.read(ConfigText.render(config));
        assertThat(again.listeners()).isEqualTo(config.listeners());
        assertThat(again.clusters()).isEqualTo(config.clusters());
    }

    @Test
    void theAdminListenerHasTheKeysOfAListener() throws ConfigException {
        String admin =
                "admin:\n  tls:\n    " + LISTENER.replace("\n      ", "\n    ").replace("permissive", "strict");
        ProxyConfig config = Yaml.read(admin + Yaml.MINIMAL);
        assertThat(config.hasTls()).isTrue();
        ListenerTls tls = (ListenerTls) config.admin().tls();
        assertThat(tls).isNotNull();
        assertThat(tls.certificates()).hasSize(2);
        assertThat(tls.crl()).isEqualTo(file("/clients.crl"));
        assertThat(tls.handshakeTimeoutNs()).isEqualTo(3_000_000_000L);
        String shown = ConfigText.render(config);
        assertThat(shown).contains("\n  tls:\n    mode: strict\n    certificates:\n      - chain: /a.crt\n");
        assertThat(Yaml.read(shown)).isEqualTo(config);
        assertThat(Yaml.read(Yaml.MINIMAL).admin().tls()).isNull();
    }

    @Test
    void theAdminListenerServesNobodyWithoutTls() {
        String tls = "{ certificates: [{ chain: /a, key: /b }], mode: permissive }";
        assertThat(Yaml.problems("admin: { tls: " + tls + " }\n" + Yaml.MINIMAL))
                .containsExactly("1:63: mode is 'permissive' for the admin listener, expected strict");
        assertThat(Yaml.problems("admin: { tls: { trust: /x, modes: strict } }\n" + Yaml.MINIMAL))
                .anySatisfy(problem -> assertThat(problem).contains("1:15: missing certificates, expected a list"))
                .anySatisfy(problem -> assertThat(problem).contains("trust requires"))
                .anySatisfy(problem -> assertThat(problem).contains("unknown key 'modes'"))
                .hasSize(3);
    }

    @Test
    void takesWhoeverAnswersOnlyWithoutATrust() throws ConfigException {
        String unverified = "server-name: a.test, insecure-skip-verification: true";
        assertThat(cluster(unverified).verified()).isFalse();
        assertThat(cluster(unverified + ", trust: system").trust()).isNull();
        String shown = ConfigText.render(Yaml.read(Yaml.MINIMAL + "    tls: { " + unverified + " }\n"));
        assertThat(Yaml.read(shown).clusters().get("app").options().get(ClusterTls.TLS))
                .isEqualTo(cluster(unverified));
        assertThat(Yaml.problems(Yaml.MINIMAL + "    tls: { trust: /x, " + unverified + " }\n"))
                .containsExactly("7:19: trust requires insecure-skip-verification: false");
    }

    @Test
    void namesAreThoseThatAreAskedForUnlessTheFileSaysOtherwise() throws ConfigException {
        ClusterTls asked = cluster("server-name: app.test");
        assertThat(asked.dnsNames()).containsExactly("app.test");
        ClusterTls named = cluster("peer-names: [a.test, b.test]");
        assertThat(named.serverName()).isEqualTo("a.test");
        ClusterTls identity = cluster("peer-names: [\"spiffe://mesh/a\"]");
        assertThat(identity.serverName()).isNull();
        assertThat(identity.dnsNames()).isEmpty();
        assertThat(Yaml.read(Yaml.MINIMAL).hasTls()).isFalse();
    }

    /** SNI has no dot at its end (RFC 6066 3), and certificates have none either. */
    @Test
    void namesAreInTheOneSpellingOfAHost() throws ConfigException {
        ClusterTls asked = cluster("server-name: App.test.");
        assertThat(asked.serverName()).isEqualTo("app.test");
        assertThat(asked.dnsNames()).containsExactly("app.test");
        assertThat(cluster("peer-names: [A.test., b.test]").dnsNames()).containsExactly("a.test", "b.test");
    }

    private static ClusterTls cluster(String lines) throws ConfigException {
        ClusterTls tls = Yaml.read(Yaml.MINIMAL + "    tls: { " + lines + " }\n")
                .clusters()
                .get("app")
                .options()
                .get(ClusterTls.TLS);
        assertThat(tls).isNotNull();
        return tls;
    }

    @Test
    void tellsWhatIsWrong() {
        assertThat(Yaml.problems(yaml("trust: /x", "trust: system")))
                .anySatisfy(problem ->
                        assertThat(problem).contains("5:7: missing certificates, expected a list of at least"))
                .anySatisfy(problem -> assertThat(problem).contains("5:14: trust requires"))
                .anySatisfy(problem -> assertThat(problem).contains("10:7: missing peer-names, expected the names"));
        String bad = "certificates: [{ chain: /a }], client-certificates: required, min-version: 1.1, "
                + "ciphers: [TLS_RSA_WITH_AES_128_CBC_SHA], groups: [x25519, x25519]";
        assertThat(Yaml.problems(yaml("{ " + bad + " }", "peer-names: [10.0.0.1, '*.a.test']")))
                .anySatisfy(problem -> assertThat(problem).contains("missing key, expected the path of a PEM file"))
                .anySatisfy(problem -> assertThat(problem).contains("missing trust, expected the path of a PEM file"))
                .anySatisfy(problem -> assertThat(problem).contains("min-version is '1.1', expected one of 1.2, 1.3"))
                .anySatisfy(problem -> assertThat(problem).contains("ciphers has 'TLS_RSA_WITH_AES_128_CBC_SHA'"))
                .anySatisfy(problem -> assertThat(problem).contains("groups lists 'x25519' twice"))
                .anySatisfy(problem -> assertThat(problem).contains("peer name is '10.0.0.1', expected a DNS name"))
                .anySatisfy(problem -> assertThat(problem).contains("peer name is '*.a.test', expected a DNS name"))
                .hasSize(7);
    }

    @Test
    void whoWasVerifiedOnceIsUsedForAnHour() throws ConfigException {
        assertThat(ages("client-certificates: required, trust: /x", "", "")).containsExactly("1h", "1h");
        assertThat(ages("client-certificates: optional, trust: /x", "", "")).containsExactly("1h", "1h");
        assertThat(ages("client-certificates: off", "", "")).containsExactly("off", "1h");
        String five = "timeouts: { max-connection-age: 5m }";
        assertThat(ages("client-certificates: off", five, five)).containsExactly("5m", "5m");
        String off = "timeouts: { max-connection-age: off }";
        assertThat(ages("client-certificates: required, trust: /x", off, off)).containsExactly("off", "off");
    }

    /** Of the listener and of the cluster, as they are shown. */
    private static List<String> ages(String clients, String listener, String cluster) throws ConfigException {
        String tls = "{ certificates: [{ chain: /a, key: /b }], " + clients + " }";
        String yaml = yaml(tls + "\n    " + listener, "{ server-name: a.test }\n    " + cluster);
        return ConfigText.render(Yaml.read(yaml))
                .lines()
                .filter(line -> line.contains("max-connection-age"))
                .map(line -> line.substring(line.indexOf(':') + 2))
                .toList();
    }

    @Test
    void anAgeIsADurationOrOff() {
        String wrong = "timeouts: { max-connection-age: forever }";
        String yaml = yaml("off\n    " + wrong, "off\n    " + wrong);
        assertThat(Yaml.problems(yaml))
                .containsExactly(
                        "6:37: max-connection-age is 'forever', expected a duration such as 250ms, 10s, 5m or 1h, or"
                                + " off",
                        "12:37: max-connection-age is 'forever', expected a duration such as 250ms, 10s, 5m or 1h, or"
                                + " off");
        assertThat(Yaml.problems(yaml.replace("forever", "30")))
                .allMatch(problem -> problem.contains("max-connection-age is '30' without a unit"))
                .hasSize(2);
        assertThat(Yaml.problems(yaml.replace("forever", "25h")))
                .allMatch(problem -> problem.endsWith("expected 1us to 24h"))
                .hasSize(2);
    }

    @Test
    void readsRevocationListsWhereSomebodyIsVerified() throws ConfigException {
        assertThat(cluster("server-name: a.test, crl: /x.crl").crl()).isEqualTo(file("/x.crl"));
        assertThat(cluster("server-name: a.test").crl()).isNull();
        String listener = "{ certificates: [{ chain: /a, key: /b }], crl: /x }";
        assertThat(Yaml.problems(yaml(listener, "{ insecure-skip-verification: true, crl: /y }")))
                .anySatisfy(problem ->
                        assertThat(problem).contains("crl requires client-certificates: optional or required"))
                .anySatisfy(problem -> assertThat(problem).contains("crl requires insecure-skip-verification: false"))
                .hasSize(2);
    }

    @Test
    void tellsTheCertificateItselfOnlyWhereItTellsOfIt() {
        String headers = "headers: { x-forwarded-client-cert-pem: true }";
        assertThat(Yaml.problems(yaml("off\n    " + headers, "off")))
                .containsExactly(
                        "6:45: x-forwarded-client-cert-pem requires " + "x-forwarded-client-cert: append or replace");
    }

    @Test
    void wantsASuiteThatCanBeAgreedOn() {
        String only = "certificates: [{ chain: /a, key: /b }], min-version: 1.3, "
                + "ciphers: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]";
        assertThat(Yaml.problems(yaml("{ " + only + " }", "server-name: a.test")))
                .singleElement()
                .asString()
                .contains("ciphers has none of TLS 1.3");
    }
}
