package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import io.remora.testkit.LaunchedProcess;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log's words at the end of a process, of a drain and of a second signal: how many exchanges they cut, and of which kinds. */
final class DrainWordsIT {
    private static final String STREAM = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n";

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start();
    private final int port = FreePort.next();
    private final int adminPort = FreePort.next();

    @AfterEach
    void close() {
        backend.close();
    }

    private LaunchedProcess launch(String drainTimeout) throws IOException {
        return launch(drainTimeout, "listeners: [{address: \"127.0.0.1:%d\", cluster: app}]");
    }

    private LaunchedProcess launch(String drainTimeout, String listeners) throws IOException {
        // of two requests, one is never answered, and one never to its end
        backend.onRequest(connection -> {
            if (connection.readHead().target().equals("/stream")) {
                connection.write(STREAM);
            }
            connection.readToEnd();
        });
        Path file = Files.writeString(directory.resolve("sidecar.yaml"), """
                drain-timeout: %s
                admin: {address: "127.0.0.1:%d"}
                %s
                clusters:
                  app: {endpoints: ["127.0.0.1:%d"]}
                """.formatted(
                        drainTimeout, adminPort, listeners.formatted(port), backend.port()));
        return LaunchedProcess.start(
                directory, LaunchedProcess.LAUNCHER.toString(), "run", "--config", file.toString());
    }

    private RawClient client(int to) {
        return RawClient.connect(new InetSocketAddress("127.0.0.1", to));
    }

    private String admin(String method, String path) throws IOException {
        try (RawClient admin = client(adminPort)) {
            return admin.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .response()
                    .bodyText();
        }
    }

    private static void awaitLog(LaunchedProcess run, String text) {
        Await.until(text, () -> {
            try {
                return run.err().contains(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Two exchanges are under way, and each is known to be. */
    private void begin(LaunchedProcess run, RawClient waiting, RawClient streaming) throws IOException {
        waiting.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        streaming.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(streaming.responseHead().status()).isEqualTo(200);
        Await.until("both are there", () -> backend.openConnections() == 2);
        assertThat(run.isAlive()).isTrue();
    }

    @Test
    void aDrainSaysWhatItCut() throws Exception {
        try (LaunchedProcess run = launch("300ms")) {
            awaitLog(run, " ready;");
            try (RawClient waiting = client(port);
                    RawClient streaming = client(port)) {
                begin(run, waiting, streaming);
                assertThat(admin("POST", "/drain")).isEqualTo("draining\n");
                awaitLog(run, "INFO drain: finished; exchanges cut=2 waiting=1 streaming=1\n");
            }
            // said once
            run.signal("TERM");
            assertThat(run.status()).isZero();
            assertThat(run.err().split("drain: finished", -1)).hasSize(2);
        }
    }

    @Test
    void theEndSaysWhatItCut() throws Exception {
        try (LaunchedProcess run = launch("300ms")) {
            awaitLog(run, " ready;");
            try (RawClient waiting = client(port);
                    RawClient streaming = client(port)) {
                begin(run, waiting, streaming);
                run.signal("TERM");
                assertThat(run.status()).isZero();
            }
            assertThat(run.err()).contains("INFO drain: finished; exchanges cut=2 waiting=1 streaming=1\n");
        }
    }

    @Test
    void aSecondSignalSaysWhatItCuts() throws Exception {
        try (LaunchedProcess run = launch("60s")) {
            awaitLog(run, " ready;");
            try (RawClient waiting = client(port);
                    RawClient streaming = client(port)) {
                begin(run, waiting, streaming);
                run.signal("TERM");
                awaitLog(run, "INFO draining\n");
                run.signal("TERM");
                assertThat(run.status()).isEqualTo(143);
            }
            assertThat(run.err())
                    .contains("WARN drain: second signal; ending now, exchanges cut=2 waiting=1 streaming=1\n");
        }
    }

    /** Exchanges that a reload has cut are its own, and no drain's. */
    @Test
    void aReloadSaysWhatItCutAndALaterDrainDoesNot() throws Exception {
        String listener =
                "listeners: [{name: in, address: \"127.0.0.1:%d\", timeouts: {header-read: 200ms}, cluster: app}]";
        try (LaunchedProcess run = launch("300ms", listener)) {
            awaitLog(run, " ready;");
            try (RawClient waiting = client(port);
                    RawClient streaming = client(port)) {
                begin(run, waiting, streaming);
                Path file = directory.resolve("sidecar.yaml");
                String before = Files.readString(file);
                Files.writeString(file, before.replace("127.0.0.1:" + port, "127.0.0.1:" + FreePort.next()));
                run.signal("HUP");
                awaitLog(run, "INFO listener in: drained; exchanges cut=2 waiting=1 streaming=1\n");
            }
            run.signal("TERM");
            assertThat(run.status()).isZero();
            assertThat(run.err()).contains("INFO drain: finished; exchanges cut=0\n");
        }
    }

    @Test
    void aDrainThatCutsNothingSaysSo() throws Exception {
        try (LaunchedProcess run = launch("60s")) {
            awaitLog(run, " ready;");
            run.signal("TERM");
            assertThat(run.status()).isZero();
            assertThat(run.err()).contains("INFO drain: finished; exchanges cut=0\n");
        }
    }
}
