package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Nginx;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names with an underscore or an odd hyphen, which DNS has and Kubernetes and Istio make: towards endpoints, and from clients. */
final class UnderscoredNamesIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final Map<String, Integer> ENDPOINTS = new HashMap<>();

    private static Nginx nginx;

    @BeforeAll
    static void start() {
        TLS.pki()
                .issue("ca", "own", "DNS:my_app.test,DNS:-a-.test")
                .issue("ca", "wild", "DNS:*.wild.test")
                .issue("ca", "deep", "DNS:*.my_ns.wild.test")
                .issue("ca", "part", "DNS:my_*.part.test,DNS:*");
        nginx = new Nginx(TLS.directory());
        for (String name : List.of("own", "wild", "deep", "part")) {
            int port = nginx.server(
                    TLS.pki().path(name + ".crt"),
                    TLS.pki().path(name + ".key"),
                    "location / { return 200 \"$ssl_server_name\"; }");
            ENDPOINTS.put(name, port);
        }
        nginx.start();
    }

    @AfterAll
    static void stop() {
        nginx.close();
    }

    private static RawResponse get(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(GET).response();
        }
    }

    // ---- towards endpoints

    @ParameterizedTest
    @CsvSource({
        "server-name: my_app.test, my_app.test",
        "server-name: MY_app.test, my_app.test",
        "server-name: -a-.test, -a-.test"
    })
    void anEndpointIsAskedForThem(String names, String asked) throws IOException {
        try (Sidecar sidecar = TLS.before(ENDPOINTS.get("own"), TLS.pki().trust("ca") + ", " + names)) {
            RawResponse response = get(sidecar);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.bodyText()).isEqualTo(asked);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "own, my_app.test, 200",
        "own, my_other.test, 502",
        "own, my-app.test, 502",
        "wild, my_app.wild.test, 200",
        "wild, my_app.my_ns.wild.test, 502",
        "deep, app.my_ns.wild.test, 200",
        "deep, app.my-ns.wild.test, 502",
        // a wildcard is the whole first label, and not a whole name
        "part, my_app.part.test, 502",
        "part, my_app, 502"
    })
    void anEndpointHasToHaveThem(String endpoint, String name, int status) throws IOException {
        String tls = TLS.pki().trust("ca") + ", peer-names: [" + name + "]";
        try (Sidecar sidecar = TLS.before(ENDPOINTS.get(endpoint), tls)) {
            assertThat(get(sidecar).status()).isEqualTo(status);
        }
    }

    // ---- from clients

    /** The JDK's engine parses the client's name itself, and refuses what is none in a host table (RFC 952). */
    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void aClientMayAskForThemByOpenSsl(String version) throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = TLS.listening(backend, "", "server", "own", "wild", "deep")) {
            for (String[] asked : new String[][] {
                {"my_app.test", "own"}, {"-a-.test", "own"}, {"my_app.wild.test", "wild"}, {"a.my_ns.wild.test", "deep"}
            }) {
                Command shaken = TLS.opensslClient(sidecar, "", version, "-servername", asked[0]);
                if (OpenSslProvider.load() != null) {
                    assertThat(shaken.good()).contains("subject=CN = " + asked[1]);
                } else {
                    assertThat(shaken.output()).contains("alert illegal parameter");
                }
            }
            if (OpenSslProvider.load() == null) {
                Await.until(
                        "counted",
                        () -> sidecar.metrics().sum("remora_tls_handshake_failures_total", "reason", "protocol") == 4);
            }
        }
    }
}
