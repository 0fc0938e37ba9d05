package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What HTTP asks of TLS; {@code io.remora.tls} has the rest. */
final class TlsRulesIT {
    @TempDir
    static Path directory;

    private static Pki pki;

    @BeforeAll
    static void certificates() throws IOException {
        pki = new Pki(directory)
                .authority("ca")
                .authority("other")
                .issue("ca", "right", "DNS:app.test")
                .issue("ca", "wrong", "DNS:other.test")
                .issue("other", "foreign", "DNS:app.test")
                .issueWithCommonName("ca", "common", "app.test")
                .issue("ca", "client", "DNS:client.test");
        Files.writeString(pki.path("hello"), "hello");
    }

    private static RawResponse get(int port, String tls) throws IOException {
        try (Sidecar sidecar = Sidecar.start(Setup.at(port).cluster("tls: { " + tls + " }"));
                RawClient client = sidecar.client()) {
            return client.send("GET /hello HTTP/1.1\r\nHost: app\r\n\r\n").response();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void row40_closesWithAnAlert(String version) {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.start(Setup.before(backend).listener(pki.listener("", "right")))) {
            String request = "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";
            String address = "127.0.0.1:" + sidecar.address().getPort();
            Command ended = Command.held(
                    directory, request, "openssl", "s_client", "-msg", "-ign_eof", version, "-connect", address);
            assertThat(ended.output()).contains("HTTP/1.1 200 OK");
            String alert = "<<< TLS 1." + version.charAt(6) + ", Alert [length 0002], warning close_notify";
            assertThat(ended.output()).contains(alert);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"right", "wrong", "foreign", "common"})
    void row67_verifiesTheEndpoint(String certificate) throws IOException {
        try (OpensslServer server = new OpensslServer(directory, certificate)) {
            RawResponse response = get(server.port(), pki.trust("ca") + ", peer-names: [app.test]");
            if (certificate.equals("right")) {
                assertThat(response.bodyText()).isEqualTo("hello");
            } else {
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
            }
        }
    }

    @Test
    void row67_hasASettingThatDoesNot() throws IOException {
        try (OpensslServer server = new OpensslServer(directory, "foreign")) {
            assertThat(get(server.port(), "insecure-skip-verification: true").bodyText())
                    .isEqualTo("hello");
        }
    }

    @Test
    void advisory_wrongNameUnderMutualTls() throws IOException {
        String tls = pki.trust("ca") + ", peer-names: [app.test], certificate: " + pki.certificate("client");
        String[] options = {"-Verify", "1", "-verify_return_error", "-CAfile", "ca.crt"};
        try (OpensslServer right = new OpensslServer(directory, "right", options)) {
            assertThat(get(right.port(), tls).bodyText()).isEqualTo("hello");
        }
        try (OpensslServer wrong = new OpensslServer(directory, "wrong", options)) {
            assertThat(get(wrong.port(), tls).status()).isEqualTo(502);
        }
    }
}
