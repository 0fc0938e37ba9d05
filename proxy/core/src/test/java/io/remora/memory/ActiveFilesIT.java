package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Await;
import io.remora.testkit.Metrics;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sidecar without the native library, in a memory cgroup most of which is active file pages: it serves, as the kernel reclaims them.
 * Needs root.
 */
final class ActiveFilesIT {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final boolean FIRST = Files.exists(ROOT.resolve("memory/memory.limit_in_bytes"));
    private static final String LIMIT_FILE = FIRST ? "memory.limit_in_bytes" : "memory.max";

    private static final int PATIENCE_SECONDS = 60;

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start();
    private final Path group = (FIRST ? ROOT.resolve("memory") : ROOT)
            .resolve("remora-it-" + ProcessHandle.current().pid());

    @BeforeEach
    void makeGroup() {
        boolean made = false;
        try {
            Files.createDirectory(group);
            made = Files.isWritable(group.resolve(LIMIT_FILE));
        } catch (IOException e) {
            // the assumption says so
        }
        assumeThat(made).as("a memory cgroup can be made").isTrue();
    }

    @AfterEach
    void end() {
        backend.close();
        // the kernel takes a moment to let the last process go
        Await.until(
                "the cgroup is gone",
                () -> !Files.exists(group) || group.toFile().delete());
    }

    @Test
    void servesAmongActiveFilePages() throws Exception {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(RecordingBackend.OK);
        });
        Setup setup = Setup.before(backend);
        try (TightSidecar sidecar = TightSidecar.startIn(joining(), group.resolve(LIMIT_FILE), directory, setup)) {
            assertThat(sidecar.canary("127.0.0.2")).isEqualTo(200);
            long usable = sidecar.metrics().sum("remora_memory_limit_bytes") / 100 * 94;
            // REFUSE begins at 96 %
            long missing = usable * 97 / 100 - used();
            assertThat(missing).isPositive();
            makeActive(missing);
            Await.until("the watch has seen them", () -> {
                sidecar.canary("127.0.0.2");
                return usageSeen(sidecar) >= usable * 96 / 100;
            });
            Await.until("200 again", () -> sidecar.canary("127.0.0.2") == 200);
            assertThat(used()).as("the kernel has reclaimed nothing").isGreaterThanOrEqualTo(usable * 96 / 100);
        }
    }

    private static long usageSeen(TightSidecar sidecar) {
        String page = sidecar.page("/metrics");
        // absent before the first look
        return page.contains("\nremora_memory_usage_bytes ")
                ? Metrics.parse(page).sum("remora_memory_usage_bytes")
                : 0;
    }

    /** Runs the words that follow inside of the cgroup. */
    private List<String> joining() {
        return List.of(
                "sh",
                "-c",
                "echo $$ >\"$0\" && exec \"$@\"",
                group.resolve("cgroup.procs").toString());
    }

    /** Pages that a process of the cgroup reads twice are active ones. */
    private void makeActive(long bytes) throws Exception {
        Path file = directory.resolve("read-twice");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(bytes);
        }
        List<String> words = new ArrayList<>(joining());
        words.addAll(List.of("sh", "-c", "cat \"$0\" \"$0\" \"$0\" >/dev/null", file.toString()));
        Process reader = new ProcessBuilder(words).inheritIO().start();
        assertThat(reader.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(reader.exitValue()).isZero();
        assumeThat(stat(FIRST ? "total_active_file" : "active_file"))
                .as("a kernel without generations of pages, and no tmpfs")
                .isGreaterThan(bytes * 9 / 10);
    }

    private long used() throws IOException {
        String usage = Files.readString(group.resolve(FIRST ? "memory.usage_in_bytes" : "memory.current"));
        return Long.parseLong(usage.trim()) - stat(FIRST ? "total_inactive_file" : "inactive_file");
    }

    private long stat(String key) throws IOException {
        for (String line : Files.readAllLines(group.resolve("memory.stat"))) {
            if (line.startsWith(key + ' ')) {
                return Long.parseLong(line.substring(key.length() + 1));
            }
        }
        throw new AssertionError("no " + key);
    }
}
