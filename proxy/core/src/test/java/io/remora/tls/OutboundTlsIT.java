package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Knot;
import io.remora.testkit.Nginx;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** TLS towards the peers of an outbound listener: whom a host's cluster asks for, and takes, is the host. */
@EveryEngine
final class OutboundTlsIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static Nginx nginx;
    private static int app;
    private static int other;

    @BeforeAll
    static void start() {
        TLS.pki().issue("ca", "b", "DNS:b.test,DNS:my_b.test");
        nginx = new Nginx(TLS.directory());
        app = server("app");
        other = server("b");
        nginx.start();
    }

    private static int server(String certificate) {
        return nginx.server(
                TLS.pki().path(certificate + ".crt"),
                TLS.pki().path(certificate + ".key"),
                "location / { return 200 \"$ssl_server_name\"; }");
    }

    @AfterAll
    static void stop() {
        nginx.close();
    }

    private static RawResponse ask(SeamStand stand, String host) {
        try (RawClient client = RawClient.connect(stand.address())) {
            return client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").response();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aClusterThatCannotBeHadIsTriedAgain() throws IOException {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
        Path trust = TLS.directory().resolve("later.crt");
        try (Knot knot = Knot.start(TLS.directory(), "app 0 IN A 127.0.0.1\n");
                SeamStand stand = stand(knot, "trust: " + trust)) {
            for (int i = 0; i < 3; i++) {
                RawResponse refused = ask(stand, "app.test:" + app);
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.field("Remora-Error")).isEqualTo("not-resolved");
            }
            assertThat(stand.metric("remora_template_hosts_total", "\"failed\""))
                    .isPositive();
            assertThat(stand.metric("remora_template_hosts")).isZero();
            Files.copy(TLS.pki().path("ca.crt"), trust);
            Await.until("it is there", () -> ask(stand, "app.test:" + app).status() == 200);
            assertThat(stand.metric("remora_template_hosts")).isOne();
        }
    }

    private static SeamStand stand(Knot knot, String tls) {
        return SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", routes: [{cluster-from: host, cluster: peers}]}
                clusters:
                  peers:
                    template: {hosts: ["*.test"], host-ttl: 5s}
                    resolver: {dns: {name: "{host}.", port: "{port}", servers: ["127.0.0.1:DNS"]}}
                    tls: {TLS}
                    timeouts: {connect: 5s}
                """.replace("DNS", "" + knot.port())
                .replace("TLS", tls)));
    }

    @Test
    void theServerNameAndTheVerifiedNameAreTheHosts() {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
        try (Knot knot = Knot.start(
                        TLS.directory(), "app 0 IN A 127.0.0.1\nb 0 IN A 127.0.0.1\nmy_b 0 IN A 127.0.0.1\n");
                SeamStand stand = stand(knot, TLS.pki().trust("ca"))) {
            assertThat(ask(stand, "app.test:" + app).bodyText()).isEqualTo("app.test");
            assertThat(ask(stand, "B.test.:" + other).bodyText()).isEqualTo("b.test");
            assertThat(ask(stand, "my_b.test:" + other).bodyText()).isEqualTo("my_b.test");
            RawResponse foreign = ask(stand, "b.test:" + app);
            assertThat(foreign.status()).isEqualTo(502);
            assertThat(foreign.field("Remora-Error")).isEqualTo("handshake-failed");
            assertThat(stand.metric("remora_tls_handshakes_total", "\"peers@app.test:" + app + '"'))
                    .isOne();
            Await.until("forgotten", () -> stand.metric("remora_template_hosts") == 0);
            Await.until("no series is left", () -> !stand.page("/metrics").contains("peers@"));
        }
    }
}
