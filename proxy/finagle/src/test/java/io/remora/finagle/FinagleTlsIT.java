package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Nginx;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Finagle's engine before endpoints with TLS, which is the sidecar's own. */
final class FinagleTlsIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static Nginx nginx;
    private static int good;
    private static int foreign;

    @BeforeAll
    static void start() {
        nginx = new Nginx(TLS.directory());
        good = server("app");
        foreign = server("foreign");
        nginx.start();
    }

    private static int server(String certificate) {
        return nginx.server(
                TLS.pki().path(certificate + ".crt"),
                TLS.pki().path(certificate + ".key"),
                "location / { return 200 \"$ssl_protocol|$ssl_server_name\"; }");
    }

    @AfterAll
    static void stop() {
        nginx.close();
    }

    private static RawResponse ask(int port, int times) throws IOException {
        Setup setup = Setup.at(port)
                .process("engine: finagle")
                .cluster("tls: {" + TLS.pki().trust("ca") + ", server-name: app.test}");
        try (Sidecar sidecar = Sidecar.start(setup);
                RawClient client = sidecar.client()) {
            RawResponse last = null;
            for (int i = 0; i < times; i++) {
                last = client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
            }
            return last;
        }
    }

    @Test
    void speaksTls() throws IOException {
        assertThat(ask(good, 3).bodyText()).isEqualTo("TLSv1.3|app.test");
    }

    @Test
    void takesNobodyWhomItDoesNotTrust() throws IOException {
        RawResponse response = ask(foreign, 1);
        assertThat(response.status()).isEqualTo(502);
        assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
    }
}
