package io.remora.log;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which exchanges have a line where not all of them do. */
@Contract
final class AccessLogSampleIT {
    private static final String ERROR = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        backend.close();
    }

    private Sidecar sidecar(String keys) {
        return Sidecar.start(Setup.before(backend)
                .process("access-log: { output: \"" + directory.resolve("access.log") + "\", " + keys + " }"));
    }

    private static void ask(RawClient client, int requests) throws IOException {
        for (int i = 0; i < requests; i++) {
            client.send(GET).response();
        }
    }

    /** Of the listener under test, once the sidecar has ended and written all that it has to say. */
    private List<String> lines() throws IOException {
        return Files.readAllLines(directory.resolve("access.log")).stream()
                .filter(line -> line.contains("\"listener\":\"test\""))
                .toList();
    }

    @Test
    void onlyFailuresHaveALine() throws IOException {
        try (Sidecar sidecar = sidecar("only: failures");
                RawClient client = sidecar.client()) {
            ask(client, 20);
            backend.reply(ERROR);
            ask(client, 1);
            backend.reply("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
            ask(client, 1);
            backend.reply("nonsense\r\n\r\n");
            ask(client, 1);
            sidecar.awaitIdle();
            // and those of the barriers
            assertThat(sidecar.metrics().sum("remora_access_log_skipped_total")).isGreaterThanOrEqualTo(21);
            assertThat(sidecar.metrics().sum("remora_access_log_dropped_total")).isZero();
        }
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0)).contains("\"status\":500,\"failure\":null");
        assertThat(lines().get(1)).contains("\"status\":502,\"failure\":\"bad-response\"");
    }

    /** Within bounds that chance misses less than once in a billion runs. */
    @Test
    void aSampleHasItsShareAndEveryFailure() throws IOException {
        try (Sidecar sidecar = sidecar("sample: 0.25");
                RawClient client = sidecar.client()) {
            ask(client, 400);
            backend.reply(ERROR);
            ask(client, 50);
        }
        List<String> lines = lines();
        long failures =
                lines.stream().filter(line -> line.contains("\"status\":500")).count();
        assertThat(failures).isEqualTo(50);
        assertThat(lines.size() - failures).isBetween(45L, 160L);
    }

    @Test
    void allHaveALineByDefault() throws IOException {
        try (Sidecar sidecar = sidecar("sample: 1");
                RawClient client = sidecar.client()) {
            ask(client, 20);
            assertThat(sidecar.admin("GET", "/metrics").bodyText()).doesNotContain("access_log_skipped");
        }
        assertThat(lines()).hasSize(20);
    }

    /** Who reads the log does not hold up who is served, and what is left out takes no place in the queue. */
    @Test
    void aReaderThatDoesNotReadHoldsNobodyUp() throws Exception {
        Path pipe = directory.resolve("access.log");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        try (Sidecar sidecar = sidecar("only: failures, queue: 4");
                RawClient client = sidecar.client()) {
            ask(client, 100);
            assertThat(sidecar.metrics().sum("remora_access_log_dropped_total")).isZero();
            backend.reply(ERROR);
            ask(client, 100);
            assertThat(sidecar.metrics().sum("remora_access_log_dropped_total")).isBetween(90L, 96L);
            // has the writer end, which waits for a reader
            new Thread(() -> {
                        try {
                            Files.readAllBytes(pipe);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .start();
        }
    }
}
