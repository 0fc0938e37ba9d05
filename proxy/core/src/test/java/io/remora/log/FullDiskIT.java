package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Metrics;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log where the kernel takes a part of a line and no more: RLIMIT_FSIZE stands for a disk that is full. */
final class FullDiskIT {
    private static final int LINES = 50;
    /** Less than a line. */
    private static final int ROOM_BYTES = 60;

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

    private void limit(SidecarProcess sidecar, String octets) {
        Command.run(directory, "prlimit", "--pid", Long.toString(sidecar.pid()), "--fsize=" + octets + ":")
                .good();
    }

    private static void ask(SidecarProcess sidecar, String target) throws IOException {
        try (RawClient client = sidecar.client()) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
        }
    }

    private static long dropped(SidecarProcess sidecar) {
        try (RawClient admin = sidecar.adminClient()) {
            admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
            return Metrics.parse(admin.response().bodyText()).sum("remora_access_log_dropped_total");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLineThatIsCutIsNotGluedToTheNext() throws IOException {
        assumeTrue(Command.run(directory, "sh", "-c", "command -v prlimit").status() == 0, "no prlimit");
        Path file = directory.resolve("access.json");
        Setup setup = Setup.before(backend).process("log-level: info\naccess-log: { output: " + file + " }");
        try (SidecarProcess sidecar = SidecarProcess.start(directory, List.of(), List.of("-Xmx64m"), setup)) {
            for (int i = 0; i < LINES; i++) {
                ask(sidecar, "/before");
            }
            Await.until("all lines", () -> text(file).lines().count() == LINES);
            limit(sidecar, Long.toString(Files.size(file) + ROOM_BYTES));
            ask(sidecar, "/cut");
            Await.until("a line that is cut", () -> dropped(sidecar) == 1);
            assertThat(text(file)).doesNotEndWith("\n");
            limit(sidecar, "unlimited");
            ask(sidecar, "/after");
            Await.until("a line behind it", () -> text(file).endsWith("}\n"));
            List<String> lines = Files.readAllLines(file);
            assertThat(lines).hasSize(LINES + 2);
            assertThat(lines.get(LINES)).hasSize(ROOM_BYTES);
            assertThat(StrictJson.object(lines.get(LINES + 1))).containsEntry("target", "/after");
            sidecar.endsWell();
        }
    }
}
