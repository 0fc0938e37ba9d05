package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import io.remora.testkit.Metrics;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar whose standard error takes nothing: traffic, probes, reloads and the end go on. */
final class UnreadLogIT {
    private static final String DROPPED = "remora_log_dropped_total";

    @TempDir
    private Path directory;

    private RecordingBackend backend;
    private final int plain = FreePort.next();
    private final int tls = FreePort.next();
    private final int admin = FreePort.next();
    private Path file;

    @BeforeEach
    void start() throws IOException {
        backend = RecordingBackend.start().replyOk();
        new Pki(directory).selfSigned("server", "DNS:localhost");
        file = directory.resolve("sidecar.yaml");
        Files.writeString(file, yaml());
    }

    @AfterEach
    void stop() {
        backend.close();
    }

    private String yaml() {
        return """
                admin: { address: "127.0.0.1:%d" }
                listeners:
                  - { name: plain, address: "127.0.0.1:%d", cluster: app }
                  - { name: safe, address: "127.0.0.1:%d", cluster: app, tls: { certificates: [{ chain: server.crt, key: server.key }] } }
                clusters:
                  app: { endpoints: ["127.0.0.1:%d"] }
                """.formatted(admin, plain, tls, backend.port()).replace("server.", directory + "/server.");
    }

    private UnreadProcess run(boolean full) throws IOException {
        List<String> command = new ArrayList<>(SidecarProcess.command(List.of("-Xmx64m")));
        command.addAll(List.of("--config", file.toString()));
        return UnreadProcess.start(directory, full, command);
    }

    private UnreadProcess ready(boolean full) throws IOException {
        UnreadProcess sidecar = run(full);
        boolean ready = Await.within(6 * Await.TIMEOUT_MS, () -> {
            assertThat(sidecar.isAlive()).as(sidecar.error()).isTrue();
            try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", admin))) {
                return client.send("GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                .response()
                                .status()
                        == 200;
            } catch (IOException | RuntimeException notYet) {
                return false;
            }
        });
        if (!ready) {
            sidecar.close();
        }
        assertThat(ready).isTrue();
        return sidecar;
    }

    private static RawResponse ask(int port, String method, String target) throws IOException {
        try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", port))) {
            return client.send(method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response();
        }
    }

    private long dropped() {
        try {
            return Metrics.parse(ask(admin, "GET", "/metrics").bodyText()).sum(DROPPED);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void strangerAtTls() throws IOException {
        try (RawClient stranger = RawClient.connect(new InetSocketAddress("127.0.0.1", tls))) {
            stranger.send("hello");
            stranger.closedByPeer();
        }
    }

    @Test
    void trafficAndReloads() throws IOException, InterruptedException {
        try (UnreadProcess sidecar = ready(false)) {
            sidecar.fill();
            for (int i = 0; i < 20; i++) {
                strangerAtTls();
                assertThat(ask(plain, "GET", "/").status()).isEqualTo(200);
                assertThat(ask(admin, "GET", "/live").status()).isEqualTo(200);
            }
            // a reload that is refused has a line for each of its problems, up to twenty
            String good = Files.readString(file);
            StringBuilder bad = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                bad.append("key-").append(i).append("y".repeat(500)).append(": 1\n");
            }
            Files.writeString(file, bad + good);
            Await.until("drops", () -> {
                try {
                    assertThat(ask(admin, "POST", "/reload").status()).isEqualTo(422);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return dropped() > 0;
            });
            assertThat(ask(plain, "GET", "/").status()).isEqualTo(200);
            sidecar.read();
            Await.until(
                    "what waits is read",
                    () -> sidecar.error().endsWith("\n") && sidecar.error().contains("rejected; keeping generation"));
            Files.writeString(file, good);
            Await.until("a line behind them", () -> {
                try {
                    ask(admin, "POST", "/reload");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return sidecar.error().contains(" dropped=");
            });
            assertThat(sidecar.error().lines().filter(line -> line.contains(" dropped=")))
                    .singleElement()
                    .asString()
                    .endsWith(" dropped=" + dropped());
            assertThat(sidecar.error().lines().filter(line -> line.contains("TLS handshake failed")))
                    .as("one source is throttled")
                    .hasSize(5);
            sidecar.terminate();
            assertThat(sidecar.status()).isZero();
            assertThat(sidecar.error()).endsWith(" INFO stopped\n");
        }
    }

    @Test
    void theStartAndTheEnd() throws IOException, InterruptedException {
        try (UnreadProcess sidecar = ready(true)) {
            assertThat(ask(plain, "GET", "/").status()).isEqualTo(200);
            sidecar.terminate();
            assertThat(sidecar.status()).isZero();
        }
    }

    @Test
    void whatEndsTheStart() throws IOException, InterruptedException {
        try (ServerSocket taken = new ServerSocket(plain, 1, InetAddress.getLoopbackAddress());
                UnreadProcess sidecar = run(true)) {
            assertThat(taken.isBound()).isTrue();
            assertThat(sidecar.status()).isEqualTo(69);
        }
    }
}
