package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Event loops of a real sidecar, watched by its admin listener. */
final class LongTurnsPageIT {
    private static final int PATIENCE_MS = 60_000;

    @TempDir
    private Path directory;

    private RecordingBackend backend;

    @BeforeEach
    void start() {
        backend = RecordingBackend.start().replyOk();
    }

    @AfterEach
    void stop() {
        backend.close();
    }

    private String yaml(boolean allowed) {
        return """
            admin: { address: "127.0.0.1:0", profile: ALLOWED }
            workers: 1
            listeners:
              - { name: test, address: "127.0.0.1:0", cluster: app }
            clusters:
              app: { endpoints: ["127.0.0.1:PORT"] }
            """.replace("ALLOWED", Boolean.toString(allowed)).replace("PORT", Integer.toString(backend.port()));
    }

    private static RawClient send(RawClient admin, String query) throws IOException {
        // its body ends with the connection, and has no chunks
        return admin.readTimeoutMs(PATIENCE_MS)
                .send("POST /long-turns" + query + " HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    }

    private static RawResponse watch(RawClient admin, String query) throws IOException {
        try (RawClient client = send(admin, query)) {
            return client.response("POST");
        }
    }

    private static String readUntil(RawClient client, String end) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            int octet = client.input().read();
            assertThat(octet).as(text.toString()).isNotNegative();
            text.append((char) octet);
        }
        return text.toString();
    }

    private static void holdTheLoop(CountDownLatch until) {
        try {
            assertThat(until.await(PATIENCE_MS, TimeUnit.MILLISECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void namesWhatHoldsALoop() throws ConfigException, IOException {
        CountDownLatch end = new CountDownLatch(1);
        Path file = Files.writeString(directory.resolve("sidecar.yaml"), yaml(true));
        try (Proxy proxy = Proxy.start(ConfigReader.readFile(file.toString(), Map.of(), new FeatureList()))) {
            try (RawClient watcher = send(RawClient.connect(proxy.adminAddress()), "?duration=60s")) {
                assertThat(watcher.responseHead().status()).isEqualTo(200);
                RawResponse second = watch(RawClient.connect(proxy.adminAddress()), "");
                assertThat(second.status()).isEqualTo(409);
                assertThat(second.bodyText()).startsWith("another client is watching the event loops");
                proxy.path().shared().loops().get(0).eventLoop().execute(() -> holdTheLoop(end));
                String held = readUntil(watcher, "LongTurnsPageIT.holdTheLoop(LongTurnsPageIT.java:");
                assertThat(held).containsPattern("loop 0: in a turn for \\d+ ms\n  ");
                end.countDown();
                readUntil(watcher, "loop 0: the turn took ");
            } finally {
                end.countDown();
            }
            // its client has left, which makes room for the next
            Await.until("the page is free", () -> isFree(proxy));
        }
    }

    private static boolean isFree(Proxy proxy) {
        try {
            RawResponse response = watch(RawClient.connect(proxy.adminAddress()), "?duration=1s&above=10s");
            return response.status() == 200 && response.bodyText().contains(" turns of 10s or more in 1s, ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aRequestThatMakesNoSenseOrIsNotAllowedIsRefused() throws IOException {
        try (SidecarProcess sidecar = SidecarProcess.start(directory, List.of(), List.of(), yaml(true))) {
            for (String query : List.of(
                    "?duration=0s",
                    "?duration=6m",
                    "?duration=x",
                    "?above=19ms",
                    "?above=11s",
                    "?below=1s",
                    "?above=1s&above=1s")) {
                assertThat(watch(sidecar.adminClient(), query).status())
                        .as(query)
                        .isEqualTo(400);
            }
        }
        try (SidecarProcess sidecar = SidecarProcess.start(directory, List.of(), List.of(), yaml(false))) {
            RawResponse response = watch(sidecar.adminClient(), "");
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.bodyText()).contains("admin.profile: true");
        }
    }
}
