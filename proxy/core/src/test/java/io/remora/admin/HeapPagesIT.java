package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histograms and dumps of the heap of a real sidecar. */
final class HeapPagesIT {
    private static final long LIMIT = 100L << 20;
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    private Path directory;

    private Path dumps;
    private RecordingBackend backend;
    private SidecarProcess sidecar;

    @BeforeEach
    void build() throws IOException {
        NativeLibrary.into(directory);
        dumps = Files.createDirectory(directory.resolve("dumps"));
        backend = RecordingBackend.start().replyOk();
    }

    @AfterEach
    void stop() {
        if (sidecar != null) {
            sidecar.close();
        }
        backend.close();
    }

    private void start(String admin, List<String> prefix, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Djava.library.path=" + directory);
        sidecar = SidecarProcess.start(directory, prefix, all, """
            admin: {address: 'unix:SOCKET', ADMIN}
            log-level: info
            listeners:
              - {name: test, address: '127.0.0.1:0', cluster: app}
            clusters:
              app: {endpoints: ['127.0.0.1:PORT']}
            """.replace("ADMIN", admin)
                .replace("SOCKET", socket())
                .replace("PORT", Integer.toString(backend.port())));
    }

    private String socket() {
        return directory.resolve("admin.sock").toString();
    }

    private Answer ask(String method, String target) {
        String all = Command.run(
                        directory,
                        "curl",
                        "-s",
                        "-X",
                        method,
                        "-w",
                        "%{http_code}",
                        "--unix-socket",
                        socket(),
                        "http://localhost" + target)
                .good();
        int end = all.length() - 3;
        return new Answer(Integer.parseInt(all.substring(end)), all.substring(0, end));
    }

    private Answer post(String target) {
        return ask("POST", target);
    }

    private record Answer(int status, String bodyText) {}

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(dumps)) {
            return all.toList();
        }
    }

    @Test
    void theHistogramCountsTheObjectsOfEachClass() throws IOException {
        start("profile: true", List.of());
        Answer response = post("/heap-histogram");
        assertThat(response.status()).isEqualTo(200);
        String text = response.bodyText();
        assertThat(text)
                .containsPattern("num +#instances +#bytes +class name")
                .containsPattern("\\d+: +\\d+ +\\d+ +\\[B")
                .contains("  io.remora.admin.AdminPages\n")
                .containsPattern("\nTotal +\\d+ +\\d+\n");
        sidecar.awaitLog(" bytes=" + text.length() + '\n');
        assertThat(sidecar.log()).containsPattern("heap: histogram taken; sent it peer=unix bytes=" + text.length());
        assertThat(post("/heap-histogram?top=3").status()).isEqualTo(400);
        // one switch does not stand for the other
        assertThat(post("/heap-dump").status()).isEqualTo(403);
    }

    @Test
    void theDumpIsAFileOfTheOwnerAloneWithTheSizeThatIsSaid() throws IOException {
        start("heap-dump: " + dumps, List.of());
        long estimate = HeapDump.estimate(number("remora_jvm_heap_used_bytes"));
        Answer response = post("/heap-dump");
        assertThat(response.bodyText()).matches("\\Q" + dumps + "\\E/remora-\\d+\\.hprof \\d+\n");
        assertThat(response.status()).isEqualTo(200);
        assertThat(files()).hasSize(1);
        Path file = files().get(0);
        assertThat(response.bodyText()).isEqualTo(file + " " + Files.size(file) + '\n');
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.size(file)).isBetween(1L << 20, estimate);
        String content = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(content.startsWith("JAVA PROFILE 1.0.2\0")).isTrue();
        assertThat(content.contains("io/remora/admin/AdminPages")).isTrue();
        sidecar.awaitLog("heap: dump written").awaitLog(" peer=unix\n");
        assertThat(sidecar.log())
                .containsPattern(
                        "WARN .*heap: dump written, which holds keys, tokens and bodies; all threads had stopped"
                                + " file=\\Q" + file + "\\E bytes=" + Files.size(file)
                                + " ms=\\d+ peer=unix\n");
        // traffic goes on
        try (RawClient client = sidecar.client()) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            .response()
                            .status())
                    .isEqualTo(200);
        }
        assertThat(post("/heap-histogram").status()).isEqualTo(403);
    }

    private long number(String metric) {
        return Long.parseLong(ask("GET", "/metrics")
                .bodyText()
                .lines()
                .filter(line -> line.startsWith(metric + " "))
                .map(line -> line.substring(metric.length() + 1))
                .findFirst()
                .orElseThrow());
    }

    private void refused(String reason) throws IOException {
        Answer response = post("/heap-dump");
        assertThat(response.bodyText()).containsPattern(reason);
        assertThat(response.status()).isEqualTo(503);
        assertThat(files()).isEmpty();
        sidecar.awaitLog("; responding with 503 peer=unix\n");
    }

    @Test
    void aVolumeWithoutRoomGetsNoDump() throws IOException {
        assumeTrue(Command.run(directory, "unshare", "--mount", "true").status() == 0, "no mounts of its own");
        List<String> small = List.of(
                "unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=4m small " + dumps + " && exec \"$@\"", "sh");
        start("heap-dump: " + dumps, small);
        refused("the volume of \\Q" + dumps + "\\E has \\d+ bytes free, and a dump may need \\d+\n");
    }

    @Test
    void aMemoryLimitWithoutRoomGetsNoDump() throws IOException {
        Path cgroup = Files.createDirectory(directory.resolve("cgroup"));
        Files.writeString(cgroup.resolve("memory.max"), LIMIT + "\n");
        Files.writeString(cgroup.resolve("memory.stat"), "inactive_file 0\nactive_file 0\n");
        Path usage = Files.writeString(cgroup.resolve("memory.current"), (70L << 20) + "\n");
        String[] limit = {"-Dremora.limit=" + LIMIT, "-Dremora.limit.from=" + cgroup.resolve("memory.max"), "-Xmx32m"};
        assumeTrue(!Files.getFileStore(dumps).type().equals("tmpfs"), "no directory on a disk");
        start("heap-dump: " + dumps, List.of(), limit);
        assertThat(post("/heap-dump").status()).isEqualTo(200);
        Files.delete(files().get(0));
        Files.writeString(usage, (LIMIT - 1) + "\n");
        refused("the memory limit has 1 bytes free, and a dump may need 4194304\n");
        sidecar.close();

        assumeTrue(Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).type().equals("tmpfs"), "no tmpfs");
        Files.writeString(usage, (90L << 20) + "\n");
        Path inMemory = Files.createTempDirectory(MEMORY, "remora");
        try {
            start("heap-dump: " + inMemory, List.of(), limit);
            refused("the memory limit has 10485760 bytes free, and a dump may need \\d{8,9}\n");
            assertThat(inMemory).isEmptyDirectory();
        } finally {
            Files.delete(inMemory);
        }
    }

    @Test
    void aDirectoryThatIsNoneGetsNoDump() throws IOException {
        start("heap-dump: " + dumps, List.of());
        Files.delete(dumps);
        assertThat(post("/heap-dump").bodyText()).isEqualTo(dumps + " is not a directory\n");
        Files.createDirectory(dumps);
        assertThat(post("/heap-dump").status()).isEqualTo(200);
    }

    @Test
    void withoutPermissionNothingIsTaken() throws IOException {
        start("profile: false", List.of());
        Answer histogram = post("/heap-histogram");
        assertThat(histogram.status()).isEqualTo(403);
        assertThat(histogram.bodyText()).contains("admin.profile: true");
        Answer dump = post("/heap-dump");
        assertThat(dump.status()).isEqualTo(403);
        assertThat(dump.bodyText()).contains("admin.heap-dump");
        assertThat(sidecar.log()).doesNotContain("heap: ");
    }

    @Test
    void withoutTheLibraryTheySaySo() throws IOException {
        Files.delete(directory.resolve("libremora.so"));
        start("profile: true, heap-dump: " + dumps, List.of());
        assertThat(post("/heap-histogram").bodyText()).contains("does not find the libremora.so");
        refused("does not find the libremora.so");
        Await.until("the thread ends", () -> !hasThread());
    }

    private boolean hasThread() {
        return ask("GET", "/threads").bodyText().contains("remora-heap");
    }
}
