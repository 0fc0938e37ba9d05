package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.NativeLibrary;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.SteadyLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles of a real sidecar under load, by its admin listener and by the command. */
final class ProfilePageIT {
    private static final Pattern COMPARED =
            Pattern.compile("\\Asamples [1-9]\\d* in the rest, [1-9]\\d* in the slow seconds; ");
    private static final String LIBRARY = "libremora_profile.so";

    @TempDir
    private Path directory;

    private RecordingBackend backend;
    private SidecarProcess sidecar;
    private SteadyLoad load;

    @BeforeEach
    void build() throws IOException {
        NativeLibrary.ofProfilerInto(directory);
        backend = RecordingBackend.start().replyOk();
    }

    @AfterEach
    void stop() {
        if (load != null) {
            load.close();
        }
        if (sidecar != null) {
            sidecar.close();
        }
        backend.close();
    }

    private void start(String admin, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Djava.library.path=" + directory);
        sidecar = SidecarProcess.start(directory, List.of(), all, """
            admin: {address: '127.0.0.1:0', ADMIN}
            log-level: info
            listeners:
              - {name: test, address: '127.0.0.1:0', cluster: app}
            clusters:
              app: {endpoints: ['127.0.0.1:PORT']}
            """.replace("ADMIN", admin)
                .replace("PORT", Integer.toString(backend.port())));
        load = SteadyLoad.start(sidecar.address(), 4, 1, 200);
    }

    private static RawClient send(SidecarProcess sidecar, String query) throws IOException {
        return sidecar.adminClient()
                .readTimeoutMs(60_000)
                .send("POST /profile" + query + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    }

    private RawResponse profile(String query) throws IOException {
        try (RawClient client = send(sidecar, query)) {
            return client.response("POST");
        }
    }

    private boolean isTaken() {
        try {
            return profile("?seconds=1&format=svg").status() == 200;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String mappings() throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(sidecar.pid()), "maps"));
    }

    private boolean hasThread() {
        try (RawClient client = sidecar.adminClient()) {
            return client.send("GET /threads HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText()
                    .contains("remora-profile");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void namesTheFramesOfTheSidecarAndOfTheVmAndLeavesNoThread() throws IOException {
        start("profile: true");
        assertThat(mappings()).doesNotContain(LIBRARY);
        // the code that the load needs is compiled meanwhile
        RawResponse response = profile("?kind=cpu&seconds=4&hz=1000&format=collapsed");
        assertThat(response.status()).isEqualTo(200);
        String text = response.bodyText();
        assertThat(text.lines()).allMatch(line -> line.matches("\\[.*\\].* \\d+"));
        assertThat(text)
                .contains("[remora-loop", ";io.netty.", ";io.remora.", "_[j] ")
                .contains("[kernel]_[k] ");
        // a thread of the VM, with the VM's own frames
        assertThat(text).containsPattern("\\[(C1 Compiler|VM Thread|VM Periodic).*_\\[v\\] \\d+\\n");
        sidecar.awaitLog(" bytes=" + text.length() + '\n');
        assertThat(sidecar.log())
                .containsPattern("profile: CPU profile of 4 s taken; sent it as collapsed"
                        + " peer=127\\.0\\.0\\.1:\\d+ samples=\\d+ dropped=\\d+ cut=0 bytes=" + text.length() + "\\n");
        assertThat(mappings()).contains(LIBRARY);
        Await.until("the thread ends", () -> !hasThread());
        assertThat(load.failures()).isEmpty();
    }

    @Test
    void aSecondProfileIsRefusedWhileOneIsTakenAndTakenBehindIt() throws IOException {
        start("profile: true");
        try (RawClient first = send(sidecar, "?seconds=3&format=html&progress=true")) {
            assertThat(first.responseHead().status()).isEqualTo(200);
            for (String kind : List.of("cpu", "wall", "alloc", "lock", "kernel")) {
                RawResponse second = profile("?seconds=1&kind=" + kind);
                assertThat(second.status()).as(kind).isEqualTo(409);
                assertThat(second.bodyText()).startsWith("another profile is being taken");
            }
        }
        // its client has left, which ends it
        Await.until("the first ends", this::isTaken);
        sidecar.awaitLog("profile: the client has left; cutting the response peer=127.0.0.1:");
        assertThat(sidecar.isAlive()).isTrue();
    }

    @Test
    void eachKindIsNamedInItsTitleAndInTheLog() throws IOException {
        start("profile: true");
        RawResponse graph = profile("?kind=alloc&bytes=1024&seconds=2&format=html");
        assertThat(graph.status()).isEqualTo(200);
        assertThat(graph.bodyText())
                .contains("title: \"Allocation profile of 2 s\"", "unit: \"bytes\"", "byte[]", "\"io.netty.")
                .contains(" samples, one per 1.0 KiB that a thread allocates; ");
        sidecar.awaitLog("profile: allocation profile of 2 s taken; sent it as html peer=127.0.0.1:");
        RawResponse list = profile("?kind=lock&seconds=1&format=top");
        assertThat(list.bodyText()).startsWith("ns ");
        sidecar.awaitLog("profile: lock profile of 1 s taken; sent it as top peer=127.0.0.1:");
        RawResponse stacks = profile("?kind=wall&seconds=2");
        assertThat(stacks.bodyText()).contains("[remora-loop", "[remora-admin", "sun.nio.ch.EPoll");
        sidecar.awaitLog("profile: wall-clock profile of 2 s taken; sent it as collapsed peer=127.0.0.1:");
        assertThat(profile("?kind=kernel&seconds=2&format=top").bodyText())
                .containsPattern(" of each thread's CPU time, (by perf events|by timers; .* because perf_event_open )");
        sidecar.awaitLog("profile: CPU and kernel profile of 2 s taken by ");
        assertThat(sidecar.log())
                .containsPattern("profile: CPU and kernel profile of 2 s taken by (perf events|timers; )");
        assertThat(load.failures()).isEmpty();
    }

    @Test
    void aFileOfJfrHasTheThreadsOfTheSidecar() throws IOException {
        start("profile: true");
        RawResponse response = profile("?kind=wall&seconds=2&format=jfr");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("content-type")).isEqualTo("application/octet-stream");
        Path file = Files.write(directory.resolve("wall.jfr"), response.body());
        boolean looped = false;
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            RecordedThread thread = event.hasField("sampledThread") ? event.getThread("sampledThread") : null;
            looped |= thread != null
                    && thread.getJavaName().startsWith("remora-loop")
                    && event.getStackTrace().getFrames().stream()
                            .anyMatch(frame ->
                                    frame.getMethod().getType().getName().startsWith("sun.nio.ch.EPoll"));
        }
        assertThat(looped).isTrue();
        sidecar.awaitLog("profile: wall-clock profile of 2 s taken; sent it as jfr peer=127.0.0.1:");
        assertThat(profile("?kind=lock&format=jfr").bodyText())
                .isEqualTo("format jfr has no event for the sums of a lock profile\n");
    }

    private String slowList() {
        try {
            RawResponse list = profile("?kind=wall&seconds=3&slow=1&format=top");
            assertThat(list.status()).isEqualTo(200);
            return list.bodyText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void comparesSlowSecondsWithTheRest() throws IOException {
        start("profile: true");
        // a stall of the machine may leave the slowest second, or all others, without samples
        assertThat(Await.within(10 * Await.TIMEOUT_MS, () -> COMPARED.matcher(slowList())
                        .find()))
                .isTrue();
        assertThat(slowList())
                .containsPattern(
                        "\n\n\\d+ samples, .* dropped, .* cut; slowest 1 s: p99 >= \\d+ us; rest: <= \\d+ us\n\\z");
        assertThat(load.failures()).isEmpty();
    }

    @Test
    void withoutPermissionNothingIsTakenNorLoaded() throws IOException {
        start("profile: false");
        RawResponse response = profile("?seconds=1");
        assertThat(response.status()).isEqualTo(403);
        assertThat(response.bodyText()).contains("admin.profile: true");
        assertThat(mappings()).doesNotContain(LIBRARY);
    }

    @Test
    void aRequestThatMakesNoSenseIsRefused() throws IOException {
        start("profile: true");
        for (String query : List.of(
                "?seconds=0",
                "?seconds=301",
                "?seconds=x",
                "?hz=1001",
                "?format=pdf",
                "?kind=memory",
                "?kind=wall&hz=101",
                "?kind=alloc&hz=100",
                "?kind=alloc&bytes=1023",
                "?kind=alloc&bytes=67108865",
                "?kind=lock&hz=1",
                "?kind=kernel&hz=1001",
                "?kind=cpu&bytes=4096",
                "?kind=lock&format=jfr",
                "?second=1",
                "?seconds=5&slow=5",
                "?seconds=5&slow=0",
                "?seconds=1&seconds=2",
                "?seconds=99999999999999")) {
            assertThat(profile(query).status()).as(query).isEqualTo(400);
        }
        assertThat(mappings()).doesNotContain(LIBRARY);
    }

    @Test
    void withoutTheLibraryItSaysSo() throws IOException {
        Files.delete(directory.resolve(LIBRARY));
        start("profile: true");
        RawResponse response = profile("?seconds=1");
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.bodyText()).contains("this JDK does not find libremora_profile.so");
    }

    private String address() {
        String log = sidecar.log();
        int from = log.indexOf("admin on ") + "admin on ".length();
        return log.substring(from, log.indexOf('\n', from));
    }

    private Command command(Object... words) throws IOException {
        List<String> command = new ArrayList<>(SidecarProcess.java());
        command.addAll(List.of(
                "-cp", Path.of("target", "remora.jar").toAbsolutePath().toString(), "io.remora.Main", "profile"));
        for (Object word : words) {
            command.add(word.toString());
        }
        return Command.run(directory, command.toArray(new String[0]));
    }

    @Test
    void theCommandShowsItsProgressAndWritesAGraph() throws IOException {
        start("profile: true");
        Path graph = directory.resolve("flame.html");
        assertThat(command(address(), "--cpu", "2s", "--hz", 500, "--out", graph)
                        .good())
                .contains("] 1/2 s, ", "remora: wrote " + graph);
        assertThat(graph)
                .content()
                .startsWith("<!DOCTYPE html>")
                .endsWith("</html>\n")
                .contains("io.remora.");
        Path compressed = directory.resolve("cpu.pb.gz");
        command(address(), "--cpu", "2s", "--hz", 500, "--out", compressed).good();
        assertThat(compressed).isNotEmptyFile();
        Path recording = directory.resolve("alloc.jfr");
        command(address(), "--alloc", "1s", "--bytes", 4096, "--out", recording).good();
        assertThat(RecordingFile.readAllEvents(recording))
                .anyMatch(event -> event.hasField("weight") && event.getLong("weight") > 0);
        assertThat(command(address(), "--alloc", "1s", "--bytes", 4096, "--format", "top")
                        .good())
                .contains("bytes ");
    }

    @Test
    void theCommandSpeaksTlsWithACertificate() throws IOException {
        Pki pki = new Pki(directory)
                .authority("ca")
                .issue("ca", "server", "IP:127.0.0.1")
                .issue("ca", "operator", "DNS:operator.test");
        Path trust = pki.path("ca.crt");
        start("profile: true, tls: { certificates: [{ chain: %s, key: %s }], trust: %s, client-certificates: required }"
                .formatted(pki.path("server.crt"), pki.path("server.key"), trust));
        Path graph = directory.resolve("flame.svg");
        Path chain = pki.path("operator.crt");
        Path key = pki.path("operator.key");
        command(address(), "--cpu", "1s", "--out", graph, "--tls-trust", trust, "--tls-chain", chain, "--tls-key", key)
                .good();
        assertThat(graph).content().startsWith("<?xml ").endsWith("</svg>\n");

        Command stranger = command(address(), "--cpu", "1s", "--tls-trust", trust);
        assertThat(stranger.status()).as(stranger.output()).isEqualTo(69);
        Command plain = command(address(), "--cpu", "1s");
        assertThat(plain.status()).as(plain.output()).isEqualTo(1);
        assertThat(plain.output()).startsWith("remora: " + address() + ": this listener requires TLS");
    }

    @Test
    void theCommandSaysWhatIsWrongWithAnAddress() throws IOException {
        start("profile: false");
        Command refused = command(address(), "--cpu", "1s");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output()).startsWith("remora: " + address() + ": ").contains("admin.profile: true");
        Command misspelt = command("127.0.0.1", "--cpu", "1s");
        assertThat(misspelt.status()).isEqualTo(64);
        assertThat(misspelt.output()).contains("'127.0.0.1', expected HOST:PORT or unix:/PATH");
        for (String number : List.of("4711", "4194303")) {
            Command process = command(number, "--cpu", "1s");
            assertThat(process.status()).isEqualTo(64);
            assertThat(process.output())
                    .contains("'" + number + "', which looks like a process ID or a port, expected");
        }
    }
}
