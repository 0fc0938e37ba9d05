package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Sidecars;
import io.remora.testkit.Stand;
import io.remora.testkit.TrustingClient;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of kept HTTP/1.1 connections by a reload, a drain, a signal and a takeover: no request is lost that a client sends meanwhile. */
final class KeptConnectionsIT {
    private static final int RELOADS = Integer.getInteger("remora.test.reloads", 30);

    @TempDir
    Path directory;

    @AutoClose
    private Sidecars sidecars;

    @BeforeEach
    void start() throws IOException {
        sidecars = new Sidecars(directory);
    }

    private Socket plain() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), sidecars.port);
    }

    private void reload(Path file, String yaml) throws IOException {
        Files.writeString(file, yaml);
        String url = "http://127.0.0.1:" + sidecars.adminPort + "/reload";
        Command.run(directory, "curl", "-sS", "-f", "-X", "POST", url).good();
    }

    private String with(String listener) {
        return (sidecars.yaml("") + "  tunnel: { endpoints: [\"127.0.0.1:" + sidecars.backend.port()
                        + "\"], protocol: tcp }\n")
                .replace(
                        "\", cluster: app }\n  - { name: file", "\", cluster: app" + listener + " }\n  - { name: file");
    }

    private void losesNothing(String one, String other, PostingClients.Dial dial) throws IOException {
        Path file = Files.writeString(directory.resolve("reloaded.yaml"), one);
        SidecarProcess running = sidecars.start(file).awaitReady();
        try (PostingClients clients = new PostingClients(dial, true)) {
            for (int i = 0; i < RELOADS; i++) {
                long before = clients.answered();
                reload(file, i % 2 == 0 ? other : one);
                Await.until("requests", () -> clients.answered() > before + 40);
            }
            clients.stop();
            assertThat(clients.lost()).isEmpty();
            assertThat(clients.lastOnes()).isGreaterThanOrEqualTo(RELOADS);
        }
        running.process().destroy();
        assertThat(running.status()).as(running.log()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "' , proxy-protocol: { from: [10.0.0.0/8] }' | ' , proxy-protocol: { from: [10.0.0.0/9] }'",
                "'' | ', protocol: auto'",
                "'' | ', protocol: detect, detect: { cluster: tunnel }'",
            })
    void endWithoutALossWhenTheirListenerChanges(String one, String other) throws IOException {
        losesNothing(with(one), with(other), this::plain);
    }

    @Test
    void endWithoutALossWhenTheirListenerHasAnotherName() throws IOException {
        String yaml = sidecars.yaml("");
        losesNothing(yaml, yaml.replace("name: test", "name: other"), this::plain);
    }

    @Test
    void endWithoutALossWhenTheirCertificateChanges() throws IOException {
        Pki pki = new Pki(directory)
                .authority("ca")
                .issue("ca", "one", "DNS:localhost")
                .issue("ca", "two", "DNS:localhost");
        String one = with(", " + pki.listener("", "one"));
        losesNothing(one, with(", " + pki.listener("", "two")), () -> TrustingClient.socket(sidecars.address()));
    }

    // ---- the end of the process

    @Test
    void endWithoutALossAtASignal() throws IOException {
        SidecarProcess running = sidecars.start(sidecars.yaml("")).awaitReady();
        try (PostingClients clients = new PostingClients(this::plain, false)) {
            Await.until("requests", () -> clients.answered() > 400);
            running.process().destroy();
            assertThat(running.status()).as(running.log()).isZero();
            clients.join();
            assertThat(clients.lost()).isEmpty();
            assertThat(clients.lastOnes()).isEqualTo(20);
        }
    }

    /** The one that rests has a last request, the one whose response had begun as well, and the silent one ends in time. */
    @Test
    void haveALastRequestBehindADrain() throws IOException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        sidecars.backend.onRequest(connection -> {
            boolean slow = connection.readRequest().target().equals("/slow");
            connection.write(slow ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no" : RecordingBackend.OK);
            if (slow) {
                connection.waitFor(() -> Stand.await(mayEnd));
                connection.write("k");
            }
        });
        SidecarProcess running =
                sidecars.start(sidecars.yaml("drain-idle: 3s\n")).awaitReady();
        try (RawClient resting = RawClient.connect(sidecars.address());
                RawClient begun = RawClient.connect(sidecars.address());
                RawClient silent = RawClient.connect(sidecars.address())) {
            assertThat(resting.send(Stand.GET).response().bodyText()).isEqualTo("ok");
            begun.send("GET /slow HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(begun.responseHead().fields().all("Connection")).isEmpty();
            running.process().destroy();
            running.awaitLog("draining");
            isTheLast(resting.send(Stand.GET));
            mayEnd.countDown();
            assertThat(Wire.text(begun.read(2))).isEqualTo("ok");
            isTheLast(begun.send(Stand.GET));
            assertThat(silent.closedByPeer()).isTrue();
        }
        assertThat(running.status()).as(running.log()).isZero();
    }

    private static void isTheLast(RawClient client) throws IOException {
        RawResponse last = client.response();
        assertThat(last.bodyText()).isEqualTo("ok");
        assertThat(last.fields().tokens("Connection")).containsExactly("close");
        assertThat(client.closedByPeer()).isTrue();
    }

    /** A client that has connected and said nothing yet is at rest, too. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", protocol: auto"})
    void haveAFirstRequestBehindADrain(String listener) throws IOException {
        SidecarProcess running = sidecars.start(with(listener)).awaitReady();
        try (RawClient fresh = RawClient.connect(sidecars.address())) {
            assertThat(sidecars.ask(sidecars.port, "/").status()).isEqualTo(200);
            running.process().destroy();
            running.awaitLog("draining");
            isTheLast(fresh.send(Stand.GET));
        }
        assertThat(running.status()).as(running.log()).isZero();
    }
}
