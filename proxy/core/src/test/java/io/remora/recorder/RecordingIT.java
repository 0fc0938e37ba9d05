package io.remora.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.remora.admin.Recorder;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import io.remora.testkit.TestEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of a sidecar, by its admin listener. */
final class RecordingIT {
    private static final String NONE = "state: none\n";
    private static final String PEER = " peer=127\\.0\\.0\\.1:\\d+";
    private static final long LIMIT = 200L << 20;

    @TempDir
    private Path directory;

    private int dumpedBytes;

    @Test
    void aDumpExplainsSlowAndFailedExchanges() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                DeadPort dead = new DeadPort();
                SidecarProcess sidecar = start(Setup.before(backend)
                        .and(dead.port())
                        .process("log-level: info")
                        .cluster("balancer: round-robin\naccrual: { consecutive-failures: 1, back-off: 60s }"))) {
            // a bound that the first exchanges of a JVM do not reach either
            assertThat(post(sidecar, "/recording/start?slow=3s&duration=5m").bodyText())
                    .startsWith("state: running\nsettings: remora\nduration_ms: 300000\n");
            assertThat(post(sidecar, "/recording/start").status()).isEqualTo(409);
            backend.onRequest(connection -> {
                boolean slow = connection.readRequest().target().equals("/slow");
                connection.waitFor(() -> Await.within(slow ? 3_200 : 0, () -> false));
                connection.write(RecordingBackend.OK);
            });
            try (RawClient client = sidecar.client()) {
                for (String path : List.of("/slow", "/", "/", "/")) {
                    client.send("GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n");
                    assertThat(client.response().status()).isEqualTo(200);
                }
            }
            assertThat(post(sidecar, "/reload").status()).isEqualTo(200);
            ParsedRecording parsed = dump(sidecar);
            assertThat(parsed.texts("io.remora.Exchange", "listener")).containsExactly("test");
            assertThat(parsed.texts("io.remora.Exchange", "endpoint")).containsExactly("127.0.0.1:" + backend.port());
            assertThat(parsed.texts("io.remora.AttemptFailed", "endpoint")).containsExactly("127.0.0.1:" + dead.port());
            assertThat(parsed.texts("io.remora.Ejection", "endpoint")).containsExactly("127.0.0.1:" + dead.port());
            assertThat(parsed.stacks("io.remora.Exchange")).isZero();
            assertThat(parsed.types()).contains("io.remora.Reload", "jdk.CPUInformation", "jdk.GCHeapConfiguration");
            sidecar.awaitLog("recording: dump sent; its data is kept peer=127.0.0.1:");
            assertThat(post(sidecar, "/recording/stop").bodyText()).startsWith("state: stopped\n");
            assertThat(dump(sidecar).texts("io.remora.Exchange", "listener")).hasSize(1);
            assertThat(post(sidecar, "/recording/discard").bodyText()).isEqualTo(NONE);
            try (Stream<Path> left = Files.walk(directory.resolve("repository"))) {
                assertThat(left.filter(Files::isRegularFile)).isEmpty();
            }
            sidecar.awaitLog("recording: discarded; ");
            assertThat(sidecar.log())
                    .containsPattern("recording: started; stops after 300000 ms settings=remora slow_ms=3000" + PEER)
                    .containsPattern("recording: dump sent; its data is kept" + PEER + " bytes=" + dumpedBytes + '\n')
                    .containsPattern("recording: stopped; its data is kept" + PEER)
                    .containsPattern("recording: discarded; its data is deleted" + PEER);
            sidecar.endsWell();
        }
    }

    private static String lineWith(RawClient client, String part) throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.indexOf(part) < 0 || line.charAt(line.length() - 1) != '\n') {
            if (line.length() > 0 && line.charAt(line.length() - 1) == '\n') {
                line.setLength(0);
            }
            int octet = client.input().read();
            assertThat(octet).as(line.toString()).isNotNegative();
            line.append((char) octet);
        }
        return line.toString();
    }

    private static RawClient stream(SidecarProcess sidecar, String query) throws IOException {
        // its body ends with the connection, and has no chunks
        return sidecar.adminClient()
                .readTimeoutMs(60_000)
                .send("POST /recording/stream" + query + " HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    }

    /** Slow exchanges are read while they are recorded, and the other pages go on. */
    @Test
    void aStreamHasTheEventsOfARunningRecording() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar = start(Setup.before(backend).process("log-level: info"))) {
            assertThat(post(sidecar, "/recording/stream").status()).isEqualTo(409);
            assertThat(post(sidecar, "/recording/start?slow=20ms&duration=5m").status())
                    .isEqualTo(200);
            backend.onRequest(connection -> {
                connection.readRequest();
                connection.waitFor(() -> Await.within(50, () -> false));
                connection.write(RecordingBackend.OK);
            });
            String events = "?events=io.remora.Exchange,jdk.CPULoad&duration=10m";
            try (RawClient reader = stream(sidecar, events);
                    RawClient client = sidecar.client()) {
                RawResponse head = reader.responseHead();
                assertThat(head.status()).isEqualTo(200);
                assertThat(head.field("content-type")).isEqualTo("application/x-ndjson");
                assertThat(post(sidecar, "/recording/stream").status()).isEqualTo(409);
                // a stream begins with a flush, which comes each second
                lineWith(reader, "\"event\":\"jdk.CPULoad\"");
                for (int i = 0; i < 3; i++) {
                    client.send(Stand.GET);
                    assertThat(client.response().status()).isEqualTo(200);
                }
                assertThat(lineWith(reader, "\"event\":\"io.remora.Exchange\""))
                        .startsWith("{\"event\":\"io.remora.Exchange\",\"startTime\":\"20")
                        .contains("\"listener\":\"test\"", "\"endpoint\":\"127.0.0.1:" + backend.port() + '"')
                        .contains("\"status\":200,")
                        .containsPattern("\"duration\":[1-9]\\d{7,},");
                assertThat(dump(sidecar).texts("io.remora.Exchange", "listener"))
                        .contains("test");
                assertThat(post(sidecar, "/recording/stop").bodyText()).startsWith("state: stopped\n");
                assertThat(lineWith(reader, "{\"end\":"))
                        .matches("\\{\"end\":\"recording\",\"events\":[1-9]\\d*,\"dropped\":0}\n");
                assertThat(reader.input().read()).isEqualTo(-1);
            }
            sidecar.awaitLog("recording-stream: events of 10m at most sent; count=");
            sidecar.endsWell();
        }
    }

    @Test
    void aStreamEndsWithItsTimeAndWithItsClient() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar = start(Setup.before(backend).process("log-level: info"))) {
            assertThat(post(sidecar, "/recording/start?duration=5m").status()).isEqualTo(200);
            for (String bad : List.of(
                    "events=jdk.Other",
                    "events=jdk.InitialEnvironmentVariable",
                    "duration=0s",
                    "duration=61m",
                    "to=x")) {
                RawResponse refused = post(sidecar, "/recording/stream?" + bad);
                assertThat(refused.status()).as(bad).isEqualTo(400);
            }
            String timed = post(sidecar, "/recording/stream?duration=1s").bodyText();
            assertThat(timed.strip()).isEqualTo("{\"end\":\"duration\",\"events\":0,\"dropped\":0}");
            try (RawClient leaves = stream(sidecar, "?duration=1h")) {
                assertThat(leaves.responseHead().status()).isEqualTo(200);
            }
            sidecar.awaitLog("recording-stream: the client has left; cutting the response peer=127.0.0.1:");
            assertThat(post(sidecar, "/recording/stream?duration=1s").status()).isEqualTo(200);
            assertThat(ask(sidecar, "GET", "/recording").bodyText()).startsWith("state: running\n");
            sidecar.endsWell();
        }
    }

    @Test
    void pagesRefuseWhatTheyDoNotKnow() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar = start(Setup.before(backend).process("log-level: info"))) {
            assertThat(ask(sidecar, "GET", "/recording").bodyText()).isEqualTo(NONE);
            assertThat(ask(sidecar, "GET", "/").bodyText()).contains("/recording/dump");
            assertThat(ask(sidecar, "GET", "/recording/dump").status()).isEqualTo(405);
            assertThat(ask(sidecar, "GET", "/recording/start").status()).isEqualTo(405);
            assertThat(ask(sidecar, "GET", "/recording/stream").status()).isEqualTo(405);
            assertThat(ask(sidecar, "GET", "/recording/other").status()).isEqualTo(404);
            assertThat(post(sidecar, "/recording/dump").status()).isEqualTo(409);
            assertThat(post(sidecar, "/recording/stop").status()).isEqualTo(409);
            for (String bad : List.of("settings=all", "duration=0s", "duration=25h", "slow=x", "file=/tmp/x")) {
                assertThat(post(sidecar, "/recording/start?" + bad).status())
                        .as(bad)
                        .isEqualTo(400);
            }
            try (RawClient page = sidecar.adminClient()) {
                page.send("POST /recording/start HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                        + "Content-Length: 0\r\n\r\n");
                assertThat(page.response().status()).isEqualTo(403);
            }
            assertThat(ask(sidecar, "GET", "/recording").bodyText()).isEqualTo(NONE);
            sidecar.endsWell();
        }
    }

    @Test
    void withoutPermissionNothingIsRecorded() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar =
                        SidecarProcess.start(directory, List.of(), List.of("-Dremora.recorder=true"), setup(backend))) {
            for (String path : List.of("start", "stop", "discard", "dump", "stream")) {
                RawResponse refused = post(sidecar, "/recording/" + path);
                assertThat(refused.status()).as(path).isEqualTo(403);
                assertThat(refused.bodyText()).contains("admin.profile: true");
            }
            assertThat(ask(sidecar, "GET", "/recording").bodyText()).isEqualTo(NONE);
            sidecar.endsWell();
        }
    }

    @Test
    void aMemoryLimitWithoutRoomGetsNoRecording() throws IOException {
        Path cgroup = Files.createDirectory(directory.resolve("cgroup"));
        Files.writeString(cgroup.resolve("memory.max"), LIMIT + "\n");
        Files.writeString(cgroup.resolve("memory.stat"), "inactive_file 0\nactive_file 0\n");
        Path usage = Files.writeString(cgroup.resolve("memory.current"), (LIMIT - Recorder.ROOM_BYTES + 1) + "\n");
        List<String> options = List.of(
                "-Dremora.recorder=true",
                "-Dremora.limit=" + LIMIT,
                "-Dremora.limit.from=" + cgroup.resolve("memory.max"),
                "-Xmx32m",
                "-Djava.io.tmpdir=" + Files.createDirectory(directory.resolve("repository")));
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar = SidecarProcess.start(directory, List.of(), options, allowed(setup(backend)))) {
            RawResponse refused = post(sidecar, "/recording/start");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.bodyText())
                    .isEqualTo("the memory limit has 33554431 bytes free, and a recording may need 33554432\n");
            sidecar.awaitLog("; it does not start peer=127.0.0.1:");
            Files.writeString(usage, (LIMIT - Recorder.ROOM_BYTES) + "\n");
            assertThat(post(sidecar, "/recording/start").status()).isEqualTo(200);
            sidecar.endsWell();
        }
    }

    /** The jar of an image without the recorder lacks its package. */
    @Test
    void aJarWithoutTheRecorderStartsWithoutIt() throws IOException {
        assumeFalse(TestEngine.isFinagle(), "another command line");
        List<String> command = new ArrayList<>(SidecarProcess.command(List.of("-Dremora.recorder=true")));
        int jar = command.indexOf("-jar");
        Path whole = Path.of(command.get(jar + 1));
        String path = lean(whole) + ":" + whole.resolveSibling("lib") + "/*";
        command.subList(jar, jar + 2).clear();
        command.addAll(jar, List.of("-cp", path, "io.remora.Main"));
        try (RecordingBackend backend = RecordingBackend.start()) {
            Path config = Files.writeString(directory.resolve("sidecar.yaml"), allowed(setup(backend)));
            command.addAll(List.of("--config", config.toString()));
            try (SidecarProcess sidecar = SidecarProcess.launch(directory.resolve("log.txt"), Map.of(), command)) {
                sidecar.awaitLog(" ready");
                assertThat(sidecar.log())
                        .containsPattern("WARN .*recorder: this image has none; starting without it\n");
                assertThat(ask(sidecar, "GET", "/recording").status()).isEqualTo(404);
                sidecar.endsWell();
            }
        }
    }

    private Path lean(Path whole) throws IOException {
        Path lean = directory.resolve("lean.jar");
        try (ZipFile from = new ZipFile(whole.toFile());
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(lean))) {
            for (ZipEntry entry : Collections.list(from.entries())) {
                if (!entry.getName().startsWith("io/remora/recorder/")) {
                    to.putNextEntry(new ZipEntry(entry.getName()));
                    from.getInputStream(entry).transferTo(to);
                }
            }
        }
        return lean;
    }

    /** The reason is in the response, and the sidecar goes on to serve. Root can write to any directory, but to none below a file. */
    @Test
    void withoutADirectoryNothingIsRecorded() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar =
                        start(Setup.before(backend).process("log-level: info"), file.resolve("below"))) {
            RawResponse failed = post(sidecar, "/recording/start");
            assertThat(failed.status()).isEqualTo(500);
            assertThat(failed.bodyText()).contains("cannot record: ");
            assertThat(ask(sidecar, "GET", "/recording").bodyText()).isEqualTo(NONE);
            try (RawClient client = sidecar.client()) {
                assertThat(client.send(Stand.GET).response().status()).isEqualTo(200);
            }
            assertThat(sidecar.isAlive()).isTrue();
        }
    }

    /** Nothing of the recorder is there before the first start. */
    @Test
    void anIdleRecorderLoadsNothingOfIt() throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory,
                        List.of(),
                        List.of("-Dremora.recorder=true", "-Xlog:class+load:file=" + loaded),
                        Setup.before(backend).process("log-level: info"))) {
            try (RawClient client = sidecar.client()) {
                assertThat(client.send(Stand.GET).response().status()).isEqualTo(200);
            }
            assertThat(ask(sidecar, "GET", "/recording").bodyText()).isEqualTo(NONE);
            sidecar.endsWell();
        }
        assertThat(Files.readString(loaded))
                .contains("io.remora.recorder.FlightControl")
                .doesNotContain("io.remora.recorder.Flight ")
                .doesNotContain("io.remora.recorder.ExchangeEvent")
                .doesNotContain(" jdk.jfr.");
    }

    @Test
    void withoutARecorderThereAreNoPages() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory, List.of(), List.of(), Setup.before(backend).process("log-level: info"))) {
            assertThat(ask(sidecar, "GET", "/recording").status()).isEqualTo(404);
            assertThat(post(sidecar, "/recording/start").status()).isEqualTo(404);
            assertThat(ask(sidecar, "GET", "/").bodyText()).doesNotContain("/recording");
            sidecar.endsWell();
        }
    }

    private SidecarProcess start(Setup setup) throws IOException {
        return start(setup, Files.createDirectory(directory.resolve("repository")));
    }

    private SidecarProcess start(Setup setup, Path repository) throws IOException {
        return SidecarProcess.start(
                directory,
                List.of(),
                List.of("-Dremora.recorder=true", "-Djava.io.tmpdir=" + repository),
                allowed(setup));
    }

    private static Setup setup(RecordingBackend backend) {
        return Setup.before(backend).process("log-level: info");
    }

    private static String allowed(Setup setup) {
        String yaml = setup.yaml();
        assertThat(yaml).startsWith("admin: { ");
        return yaml.replaceFirst("admin: \\{ ", "admin: { profile: true, ");
    }

    private ParsedRecording dump(SidecarProcess sidecar) throws IOException {
        RawResponse dump = post(sidecar, "/recording/dump");
        assertThat(dump.status()).isEqualTo(200);
        dumpedBytes = dump.body().length;
        assertThat(dump.field("content-type")).isEqualTo("application/octet-stream");
        return ParsedRecording.of(directory, dump.body());
    }

    private static RawResponse post(SidecarProcess sidecar, String target) throws IOException {
        return ask(sidecar, "POST", target);
    }

    private static RawResponse ask(SidecarProcess sidecar, String method, String target) throws IOException {
        try (RawClient client = sidecar.adminClient().readTimeoutMs(60_000)) {
            client.send(method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            return client.response(method);
        }
    }
}
