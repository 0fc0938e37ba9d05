package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client may do by who it has proved to be, with curl and certificates of openssl. */
@EveryEngine
final class IdentityIT {
    private static final String FIELD = "X-Forwarded-Client-Cert";
    private static final String B = "spiffe://mesh/ns/a/sa/b";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private AccessLogFile log;

    @BeforeAll
    static void certificates() {
        TLS.pki()
                .issue("ca", "sidecar", "DNS:localhost,URI:spiffe://mesh/ns/a/sa/server")
                .issue("ca", "b", "URI:" + B)
                .issue("ca", "c", "URI:spiffe://mesh/ns/a/sa/c,DNS:c.test,DNS:c2.test")
                .issue("ca", "other", "URI:spiffe://mesh/ns/other/sa/b")
                .issue("ca", "edge", "URI:spiffe://mesh/ns/edge/sa/proxy")
                .issue("ca", "two", "URI:" + B + ",URI:spiffe://mesh/ns/a/sa/c")
                .issue("ca", "disguised", "DNS:" + B)
                .issue("ca", "named", "DNS:client.test")
                .issue("ca", "large", largeNames());
    }

    /** Of a certificate that is too long for a field of 8 KiB, while they fit. */
    private static String largeNames() {
        StringBuilder names = new StringBuilder("DNS:a.test");
        for (int i = 0; i < 200; i++) {
            names.append(",DNS:a").append(i).append(".large.certificate.test");
        }
        return names.toString();
    }

    @BeforeEach
    void newLog() throws IOException {
        log = new AccessLogFile(Files.createTempFile(TLS.directory(), "access", ".log"));
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private Sidecar sidecar(String clientCertificates, String more) {
        String tls = TLS.pki()
                .listener(
                        "client-certificates: " + clientCertificates + ", "
                                + TLS.pki().trust("ca"),
                        "sidecar");
        return Sidecar.start(setup().listener(tls + "\n" + more));
    }

    private Setup setup() {
        return Setup.before(backend).process(log.setting());
    }

    /** The status that curl gets with this certificate, none where it is empty. */
    private static String status(Sidecar sidecar, String certificate, String path, String... options) {
        List<String> words = new ArrayList<>(List.of("--output", "/dev/null", "--write-out", "%{http_code}"));
        words.addAll(List.of(certificate.isEmpty() ? options : Certificates.showing(certificate, options)));
        return TLS.curl(sidecar, "localhost", path, words.toArray(new String[0]))
                .good();
    }

    private RawRequest forwarded(Sidecar sidecar, String certificate, String... options) {
        assertThat(status(sidecar, certificate, "/", options)).isEqualTo("200");
        List<RawRequest> requests = backend.requests();
        return requests.get(requests.size() - 1);
    }

    private static long refused(Sidecar sidecar) {
        return sidecar.metrics().sum("remora_failures_total", "listener", "test", "failure", "identity-refused");
    }

    // ---- who may come

    @ParameterizedTest
    @CsvSource({
        "b, 200",
        "c, 200",
        "named, 200",
        "other, 403",
        "edge, 403",
        "two, 403",
        "disguised, 403",
        "'', 403",
    })
    void aListenerIsForWhomItSays(String certificate, String status) {
        String required = "require-identity: [\"spiffe://mesh/ns/a/*\", client.test]";
        try (Sidecar sidecar = sidecar("optional", required)) {
            assertThat(status(sidecar, certificate, "/")).isEqualTo(status);
            sidecar.awaitIdle();
            assertThat(refused(sidecar)).isEqualTo(status.equals("403") ? 1 : 0);
            assertThat(backend.requests()).hasSize(status.equals("403") ? 0 : 1);
            assertThat(log.line(1))
                    .contains("\"tls_version\":\"TLSv1.3\",\"tls_cipher\":\"TLS_")
                    .contains(status.equals("403") ? "\"failure\":\"identity-refused\"" : "\"failure\":null");
        }
    }

    /** Nothing is answered before the identity is asked for. */
    @Test
    void aListenerTellsAStrangerNothing() {
        try (Sidecar sidecar = sidecar("optional", "require-identity: [\"" + B + "\"]\nlimits: { body: 1B }")) {
            assertThat(status(sidecar, "", "/", "-X", "OPTIONS", "-H", "Max-Forwards: 0"))
                    .isEqualTo("403");
            assertThat(status(sidecar, "", "/", "--data", "too long")).isEqualTo("403");
            assertThat(status(sidecar, "b", "/", "--data", "too long")).isEqualTo("413");
            assertThat(status(sidecar, "b", "/")).isEqualTo("200");
        }
    }

    @Test
    void aRouteIsForWhomItSays() {
        String tls =
                TLS.pki().listener("client-certificates: required, " + TLS.pki().trust("ca"), "sidecar");
        String routes = """
                routes:
                  - { match: { path: /closed }, cluster: app, require-identity: ["%s"] }
                  - { match: { path: /mine, identity: "spiffe://mesh/ns/a/*" }, cluster: app }
                  - { match: { prefix: /open }, cluster: app }
                """.formatted(B);
        String yaml = setup().listener(tls + "\n" + routes).yaml().replace("    cluster: app\n    tls", "    tls");
        yaml = yaml.replace(
                        "clusters:\n", "  - { name: barrier, address: \"127.0.0.1:0\", cluster: barrier }\nclusters:\n")
                + "  barrier: { endpoints: [\"127.0.0.1:${BARRIER}\"] }\n";
        try (Sidecar sidecar = Sidecar.of(yaml, backend)) {
            assertThat(status(sidecar, "b", "/closed")).isEqualTo("200");
            assertThat(status(sidecar, "c", "/closed")).isEqualTo("403");
            // another spelling is none for whom the route is not, nor does it lead to another route
            for (String path : new String[] {"/clos%65d", "/./closed", "/open/../closed", "/open/%2e%2e/closed"}) {
                assertThat(status(sidecar, "c", path, "--path-as-is")).as(path).isEqualTo("400");
            }
            assertThat(status(sidecar, "b", "/open/../closed", "--path-as-is")).isEqualTo("400");
            assertThat(status(sidecar, "c", "/open/%61", "--path-as-is")).isEqualTo("200");
            assertThat(status(sidecar, "c", "/mine")).isEqualTo("200");
            assertThat(status(sidecar, "other", "/mine")).isEqualTo("404");
            assertThat(status(sidecar, "other", "/open")).isEqualTo("200");
            sidecar.awaitIdle();
            assertThat(refused(sidecar)).isOne();
            assertThat(sidecar.admin("GET", "/config").bodyText())
                    .contains("        require-identity:\n          - " + B + "\n")
                    .contains("          identity: \"spiffe://mesh/ns/a/*\"\n");
        }
    }

    // ---- what is told of it

    @ParameterizedTest
    @CsvSource({
        "b, '\"spiffe://mesh/ns/a/sa/b\"'",
        "c, '\"spiffe://mesh/ns/a/sa/c\"'",
        "named, '\"client.test\"'",
        "two, null",
        "disguised, null",
        "'', null"
    })
    void theLogHasTheIdentity(String certificate, String identity) {
        try (Sidecar sidecar = sidecar("optional", "")) {
            assertThat(status(sidecar, certificate, "/")).isEqualTo("200");
            assertThat(log.line(1)).contains("\"client\":\"127.0.0.1\",\"identity\":" + identity + ",");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void theBackendIsToldOfTheCertificate(String version) {
        try (Sidecar sidecar = sidecar("optional", "headers: { x-forwarded-client-cert: replace }")) {
            String[] options = {"--tls-max", version, "-H", FIELD + ": URI=spiffe://mesh/admin"};
            RawRequest request = forwarded(sidecar, "c", options);
            assertThat(request.fields().all(FIELD))
                    .containsExactly("By=spiffe://mesh/ns/a/sa/server;Hash=" + digest("c")
                            + ";Subject=\"CN=c\";URI=spiffe://mesh/ns/a/sa/c;DNS=c.test;DNS=c2.test");
            assertThat(request.field("X-Forwarded-Proto")).isEqualTo("https");
            assertThat(forwarded(sidecar, "", options).fields().all(FIELD)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void theBackendIsToldTheCertificateItselfWhereItFits(String version) throws IOException {
        String headers = "headers: { x-forwarded-client-cert: replace, x-forwarded-client-cert-pem: true }";
        try (Sidecar sidecar = sidecar("optional", headers)) {
            String[] options = {"--tls-max", version, "-H", FIELD + ": Cert=x"};
            String element = forwarded(sidecar, "c", options).field(FIELD);
            String before = "By=spiffe://mesh/ns/a/sa/server;Hash=" + digest("c") + ";Cert=\"";
            assertThat(element)
                    .startsWith(before)
                    .endsWith("\";Subject=\"CN=c\";URI=spiffe://mesh/ns/a/sa/c;DNS=c.test;DNS=c2.test");
            String encoded = element.substring(before.length(), element.indexOf('"', before.length()));
            assertThat(URLDecoder.decode(encoded, StandardCharsets.US_ASCII))
                    .isEqualTo(Files.readString(TLS.pki().path("c.crt")));
            assertThat(forwarded(sidecar, "large", options).field(FIELD))
                    .startsWith(
                            "By=spiffe://mesh/ns/a/sa/server;Hash=" + digest("large") + ";Subject=\"CN=large\";DNS=")
                    .endsWith(";DNS=a199.large.certificate.test");
            assertThat(forwarded(sidecar, "", options).fields().all(FIELD)).isEmpty();
        }
    }

    private static String digest(String certificate) {
        String[] command = {"openssl", "x509", "-in", certificate + ".crt", "-noout", "-fingerprint", "-sha256"};
        String output = Command.run(TLS.directory(), command).good();
        return output.substring(output.indexOf('=') + 1)
                .strip()
                .replace(":", "")
                .toLowerCase(Locale.ROOT);
    }

    @Test
    void byDefaultTheBackendIsToldNothing() {
        try (Sidecar sidecar = sidecar("optional", "")) {
            assertThat(forwarded(sidecar, "c", "-H", FIELD + ": URI=spiffe://mesh/admin")
                            .fields()
                            .all(FIELD))
                    .isEmpty();
        }
    }

    @Test
    void aBelievedProxyIsToldByItsIdentity() {
        String more = "trust: { identities: [\"spiffe://mesh/ns/edge/*\"] }\n"
                + "headers: { x-forwarded-client-cert: append }";
        try (Sidecar sidecar = sidecar("optional", more)) {
            String[] options = {"-H", "X-Forwarded-For: 6.6.6.6, 1.2.3.4", "-H", FIELD + ": Hash=1;URI=spiffe://mesh/x"
            };
            RawRequest request = forwarded(sidecar, "edge", options);
            assertThat(request.field(FIELD)).startsWith("Hash=1;URI=spiffe://mesh/x, By=spiffe://mesh/ns/a/sa/server;");
            assertThat(request.field("X-Forwarded-For")).isEqualTo("6.6.6.6, 1.2.3.4, 127.0.0.1");
            assertThat(log.line(1)).contains("\"client\":\"1.2.3.4\",\"identity\":\"spiffe://mesh/ns/edge/sa/proxy\"");
            request = forwarded(sidecar, "b", options);
            assertThat(request.field(FIELD)).startsWith("By=spiffe://mesh/ns/a/sa/server;Hash=" + digest("b"));
            assertThat(request.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
            assertThat(log.line(2)).contains("\"client\":\"127.0.0.1\",\"identity\":\"" + B + "\"");
            assertThat(forwarded(sidecar, "", options).fields().all(FIELD)).isEmpty();
            assertThat(log.line(3)).contains("\"client\":\"127.0.0.1\",\"identity\":null");
        }
    }
}
