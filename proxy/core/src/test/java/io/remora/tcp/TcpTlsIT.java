package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS that a listener with {@code protocol: tcp} ends, or its cluster begins, before openssl; and what the log says of it. */
final class TcpTlsIT {
    private static final String TCP = "protocol: tcp\n";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private Setup setup() {
        return Setup.before(backend).cluster(TCP);
    }

    private void answer() {
        backend.onRequest(connection -> {
            connection.input().readNBytes(5);
            connection.write("and you");
            connection.shutdownOutput();
            connection.readToEnd();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void endsTls(String version) {
        answer();
        try (Sidecar sidecar = Sidecar.start(setup().listener(TCP + TLS.pki().listener("", "server")))) {
            Command client = TLS.heldOpensslClient(
                    sidecar, "hello", version, "-verify_return_error", "-verify_hostname", "localhost", "-ign_eof");
            assertThat(client.output()).contains("Verify return code: 0 (ok)", "and you");
            Await.until("passed on", () -> Wire.text(backend.received()).equals("hello"));
        }
    }

    /** A client that offers protocols gets none: what it speaks is its own matter. */
    @Test
    void agreesOnNoProtocol() {
        answer();
        try (Sidecar sidecar = Sidecar.start(setup().listener(TCP + TLS.pki().listener("", "server")))) {
            Command client = TLS.heldOpensslClient(sidecar, "hello", "-alpn", "http/1.1,h2", "-ign_eof");
            assertThat(client.output()).contains("No ALPN negotiated", "and you");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void wantsAnIdentity(boolean shown) {
        answer();
        String tls =
                TLS.pki().listener("client-certificates: optional, " + TLS.pki().trust("ca"), "server");
        String who = "\nrequire-identity: ['spiffe://mesh/ns/a/sa/client']";
        try (Sidecar sidecar = Sidecar.start(setup().listener(TCP + tls + who))) {
            String[] options = shown
                    ? new String[] {"-cert", "client.crt", "-key", "client.key", "-ign_eof"}
                    : new String[] {"-ign_eof"};
            Command client = TLS.heldOpensslClient(sidecar, "hello", options);
            assertThat(client.output().contains("and you")).isEqualTo(shown);
            Await.until("ended", () -> sidecar.count(Count.EXCHANGES_FINISHED) == 1);
            assertThat(sidecar.metrics().sum("remora_failures_total", "failure", "identity-refused"))
                    .isEqualTo(shown ? 0 : 1);
            assertThat(backend.connections()).hasSize(shown ? 1 : 0);
        }
    }

    /** An end without close_notify is a reset; with it, it is an end. */
    @Test
    void tellsAnEndFromACut() throws IOException {
        backend.onRequest(connection -> {
            connection.readToEnd();
            connection.write("all of it");
            connection.shutdownOutput();
        });
        try (Sidecar sidecar = Sidecar.start(setup().listener(TCP + TLS.pki().listener("", "server")))) {
            Command whole = TLS.opensslClient(sidecar, "hello", "-quiet", "-no_ign_eof");
            assertThat(whole.status()).isZero();
            Await.until("ended", () -> sidecar.count(Count.EXCHANGES_FINISHED) == 1);
            assertThat(Wire.text(backend.received())).isEqualTo("hello");
        }
    }

    @Test
    void beginsTls() throws IOException {
        Files.writeString(TLS.directory().resolve("who.txt"), "HTTP/1.0 200 OK\r\n\r\nhere");
        try (OpensslServer server = TLS.opensslServer("app");
                Sidecar sidecar = Sidecar.start(Setup.at(server.port())
                        .listener(TCP)
                        .cluster(TCP + "tls: { server-name: app.test, "
                                + TLS.pki().trust("ca") + " }"));
                RawClient client = sidecar.client()) {
            client.send("GET /who.txt HTTP/1.0\r\n\r\n");
            assertThat(Wire.text(client.readToEnd())).endsWith("here");
        }
    }

    /** Nothing that a client has sent goes to an endpoint that is not who it should be. */
    @Test
    void trustsNoStranger() throws IOException {
        try (OpensslServer server = TLS.opensslServer("foreign");
                Sidecar sidecar = Sidecar.start(Setup.at(server.port())
                        .listener(TCP)
                        .cluster(TCP + "tls: { server-name: app.test, "
                                + TLS.pki().trust("ca") + " }"))) {
            try (RawClient client = sidecar.client()) {
                client.trySend(Wire.bytes("secret"));
                assertThat(client.closedByPeer()).isTrue();
            }
            sidecar.awaitIdle();
            assertThat(sidecar.metrics().sum("remora_failures_total", "failure", "handshake-failed"))
                    .isOne();
        }
    }

    // ---- the access log

    /** A load balancer that is believed says whom the connection comes from; the endpoint gets what comes behind. */
    @Test
    void isLoggedForWhomAProxyNames(@TempDir Path directory) throws IOException {
        answer();
        Path file = directory.resolve("access.log");
        String process = "access-log: { format: json, output: \"" + file + "\" }";
        try (Sidecar sidecar =
                Sidecar.start(setup().process(process).listener(TCP + "proxy-protocol: { from: [127.0.0.0/8] }"))) {
            try (RawClient client = sidecar.client()) {
                client.send("PROXY TCP4 192.0.2.7 192.0.2.8 1234 80\r\nhello");
                assertThat(Wire.text(client.readToEnd())).isEqualTo("and you");
            }
            sidecar.awaitIdle();
            Await.until("logged", () -> lines(file).size() == 1);
            assertThat(lines(file).get(0)).contains("\"client\":\"192.0.2.7\"");
            assertThat(Wire.text(backend.received())).isEqualTo("hello");
        }
    }

    @Test
    void isLogged(@TempDir Path directory) throws IOException {
        answer();
        Path file = directory.resolve("access.log");
        String process = "access-log: { format: json, output: \"" + file + "\" }";
        try (Sidecar sidecar = Sidecar.start(setup().process(process).listener(TCP))) {
            try (RawClient client = sidecar.client()) {
                client.send("hello");
                assertThat(Wire.text(client.readToEnd())).isEqualTo("and you");
                client.shutdownOutput();
                Await.until("ended", () -> sidecar.count(Count.EXCHANGES_FINISHED) == 1);
            }
            try (RawClient client = sidecar.client()) {
                client.send("hell");
                Await.until("there", () -> backend.connections().size() == 2);
                sidecar.barrier();
                client.reset();
            }
            sidecar.awaitIdle();
            Await.until("logged", () -> lines(file).size() == 2);
            String one =
                    "\"client\":\"127.0.0.1\",\"identity\":null,\"method\":\"-\",\"target\":\"-\",\"version\":\"TCP\",\"host\":null,"
                            + "\"status\":0,\"failure\":null,\"reason\":null,\"request_bytes\":5,\"response_bytes\":7,";
            assertThat(lines(file).get(0))
                    .contains(one, "\"route\":\"test/1\"", "\"endpoint\":\"127.0.0.1:" + backend.port() + '"');
            assertThat(lines(file).get(1))
                    .contains("\"failure\":\"client-gone\",\"reason\":null,\"request_bytes\":4,\"response_bytes\":0,");
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file)
                    ? Files.readAllLines(file).stream()
                            .filter(line -> line.contains("\"listener\":\"test\""))
                            .toList()
                    : List.of();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
