package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.files.FileWatch;
import io.remora.seams.SeamStand;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What handshakes compute holds up nobody on the event loop: here it is computed when the test says so. */
@EveryEngine
final class HandshakeThreadIT {
    @TempDir
    static Path directory;

    private static Pki pki;

    private final BlockingQueue<Runnable> steps = new LinkedBlockingQueue<>();

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory).authority("ca").issue("ca", "server", "DNS:localhost");
    }

    private SeamStand start(RecordingBackend backend, String more) {
        TlsSetup held = new TlsSetup(new JdkProvider(), new FileWatch(), steps::add);
        ProcessFiles files = new ProcessFiles() {
            @Override
            public TlsSetup tls() {
                return held;
            }
        };
        ProxyConfig config = SeamStand.config(
                "tls: { mode: permissive, certificates: [{ chain: %s, key: %s }]%s }"
                        .formatted(pki.path("server.crt"), pki.path("server.key"), more),
                "",
                backend.port());
        return SeamStand.start(new Seams(), files, Memory.plan(config, files), config);
    }

    private static Command get(SeamStand stand) {
        String address = "127.0.0.1:" + stand.address().getPort();
        String request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        return Command.fed(directory, request, "openssl", "s_client", "-connect", address, "-tls1_3", "-ign_eof");
    }

    private Runnable step() throws InterruptedException {
        Runnable step = steps.poll(10, TimeUnit.SECONDS);
        assertThat(step).isNotNull();
        return step;
    }

    @Test
    void othersAreServedMeanwhile() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SeamStand stand = start(backend, "")) {
            Future<Command> client = other.submit(() -> get(stand));
            for (int flight = 0; flight < 2; flight++) {
                Runnable step = step();
                assertThat(stand.get("/").status()).isEqualTo(200);
                assertThat(client.isDone()).isFalse();
                step.run();
            }
            assertThat(client.get(10, TimeUnit.SECONDS).output()).contains("HTTP/1.1 200 OK");
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void whatBelongsToAConnectionThatEndedIsComputedNoMore() throws Exception {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SeamStand stand = start(backend, ", handshake-timeout: 100ms")) {
            RawClient client = stand.client();
            client.send(new byte[] {22, 3, 1, 0, 5, 1, 0, 0, 1, 0});
            Runnable step = step();
            assertThat(client.closedByPeer()).isTrue();
            step.run();
            // on the loop behind the step's end
            assertThat(stand.get("/").status()).isEqualTo(200);
            Await.until("the handshake counts as too slow", () -> isTimeoutCounted(stand));
        }
    }

    private static boolean isTimeoutCounted(SeamStand stand) {
        return stand.page("/metrics")
                .lines()
                .anyMatch(line -> line.startsWith("remora_tls_handshake_failures_total")
                        && line.contains("reason=\"timeout\"")
                        && line.endsWith(" 1"));
    }
}
