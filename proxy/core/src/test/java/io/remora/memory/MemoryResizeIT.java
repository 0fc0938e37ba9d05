package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar in a memory cgroup whose limit is raised and lowered while it serves, as a kubelet resizes a pod. Needs root. */
final class MemoryResizeIT {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final boolean FIRST = Files.exists(ROOT.resolve("memory/memory.limit_in_bytes"));

    /** The plan needs 85.1 MB, and the process takes less, so that no limit here has it killed. */
    private static final long LIMIT = 84L << 20;

    private static final long MORE = 96L << 20;
    private static final long TOO_LOW = 80L << 20;

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private final Path group = (FIRST ? ROOT.resolve("memory") : ROOT)
            .resolve("remora-resize-" + ProcessHandle.current().pid());
    private final Path limitFile = group.resolve(FIRST ? "memory.limit_in_bytes" : "memory.max");

    private final AtomicBoolean ends = new AtomicBoolean();
    private final AtomicLong good = new AtomicLong();
    private final List<String> bad = new ArrayList<>();

    @BeforeEach
    void makeGroup() {
        boolean made = false;
        try {
            Files.createDirectory(group);
            limit(LIMIT);
            made = true;
        } catch (IOException e) {
            // the assumption says so
        }
        assumeThat(made).as("a memory cgroup can be made").isTrue();
    }

    @AfterEach
    void end() {
        backend.close();
        Await.until(
                "the cgroup is gone",
                () -> !Files.exists(group) || group.toFile().delete());
    }

    private void limit(long bytes) throws IOException {
        Files.writeString(limitFile, Long.toString(bytes));
    }

    @Test
    void followsALimitThatChangesUnderLoad() throws Exception {
        List<String> joining = List.of(
                "sh",
                "-c",
                "echo $$ >\"$0\" && exec \"$@\"",
                group.resolve("cgroup.procs").toString());
        try (TightSidecar sidecar =
                TightSidecar.startUnder(joining, limitFile, LIMIT, directory, Setup.before(backend))) {
            long first = exchanges(sidecar);
            assertThat(sidecar.page("/ready")).isEqualTo("ready\n");
            List<Thread> clients = load(sidecar);

            limit(MORE);
            Await.until("more", () -> exchanges(sidecar) > first);
            assertThat(sidecar.metrics().sum("remora_memory_limit_bytes")).isEqualTo(MORE);
            assertThat(sidecar.log()).contains("INFO memory: limit changed from " + LIMIT + " to " + MORE + " bytes; ");

            limit(TOO_LOW);
            Await.until("too low", () -> sidecar.metrics().sum("remora_memory_limit_too_low") == 1);
            assertThat(sidecar.metrics().sum("remora_memory_limit_bytes")).isEqualTo(TOO_LOW);
            assertThat(sidecar.page("/ready")).startsWith("ready; memory limit " + TOO_LOW + " bytes is too low");
            assertThat(sidecar.log()).contains("WARN memory: limit changed from " + MORE + " to " + TOO_LOW + " bytes");
            long served = good.get();
            Await.until("it serves on", () -> good.get() > served + 100);

            limit(LIMIT);
            Await.until("as at first", () -> exchanges(sidecar) == first);
            assertThat(sidecar.metrics().sum("remora_memory_limit_too_low")).isZero();
            assertThat(sidecar.page("/ready")).isEqualTo("ready\n");

            ends.set(true);
            for (Thread client : clients) {
                client.join();
            }
            assertThat(bad).isEmpty();

            // nobody is served, and the pages look all the same
            limit(MORE);
            Await.until("more at rest", () -> exchanges(sidecar) > first);
            sidecar.assertServes();
        }
    }

    private static long exchanges(TightSidecar sidecar) {
        return sidecar.metrics().sum("remora_memory_exchanges_max");
    }

    private List<Thread> load(TightSidecar sidecar) {
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread client = new Thread(() -> {
                try (RawClient one = RawClient.connect(sidecar.address())) {
                    while (!ends.get()) {
                        int status = one.send(Stand.GET).response().status();
                        good.incrementAndGet();
                        if (status != 200) {
                            throw new IOException("status " + status);
                        }
                    }
                } catch (IOException e) {
                    synchronized (bad) {
                        bad.add(e.toString());
                    }
                }
            });
            client.start();
            clients.add(client);
        }
        return clients;
    }
}
