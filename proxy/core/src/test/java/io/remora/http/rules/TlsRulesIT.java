package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Contract;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What HTTP asks of TLS; {@code io.remora.tls} has the rest. */
@Contract
final class TlsRulesIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @BeforeAll
    static void content() throws IOException {
        Files.writeString(TLS.pki().path("hello"), "hello");
    }

    private static RawResponse get(int port, String tls) throws IOException {
        try (Sidecar sidecar = TLS.before(port, tls);
                RawClient client = sidecar.client()) {
            return client.send("GET /hello HTTP/1.1\r\nHost: app\r\n\r\n").response();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void row40_closesWithAnAlert(String version) {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = TLS.listening(backend, "", "app")) {
            String request = "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";
            Command ended = TLS.heldOpensslClient(sidecar, request, "-msg", "-ign_eof", version);
            assertThat(ended.output()).contains("HTTP/1.1 200 OK");
            String alert = "<<< TLS 1." + version.charAt(6) + ", Alert [length 0002], warning close_notify";
            assertThat(ended.output()).contains(alert);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"app", "server", "foreign", "common"})
    void row67_verifiesTheEndpoint(String certificate) throws IOException {
        try (OpensslServer server = TLS.opensslServer(certificate)) {
            RawResponse response = get(server.port(), TLS.pki().trust("ca") + ", peer-names: [app.test]");
            if (certificate.equals("app")) {
                assertThat(response.bodyText()).isEqualTo("hello");
            } else {
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
            }
        }
    }

    @Test
    void row67_hasASettingThatDoesNot() throws IOException {
        try (OpensslServer server = TLS.opensslServer("foreign")) {
            assertThat(get(server.port(), "insecure-skip-verification: true").bodyText())
                    .isEqualTo("hello");
        }
    }

    @Test
    void advisory_wrongNameUnderMutualTls() throws IOException {
        String tls = TLS.pki().trust("ca") + ", peer-names: [app.test], certificate: "
                + TLS.pki().certificate("client");
        try (OpensslServer right = TLS.opensslServerForCertificates("app")) {
            assertThat(get(right.port(), tls).bodyText()).isEqualTo("hello");
        }
        try (OpensslServer wrong = TLS.opensslServerForCertificates("server")) {
            assertThat(get(wrong.port(), tls).status()).isEqualTo(502);
        }
    }
}
