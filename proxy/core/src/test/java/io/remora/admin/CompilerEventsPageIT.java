package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.SteadyLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The compilers of a real sidecar, watched by its admin listener. */
final class CompilerEventsPageIT {
    @TempDir
    private Path directory;

    private RecordingBackend backend;
    private SidecarProcess sidecar;
    private SteadyLoad load;

    @BeforeEach
    void build() throws IOException {
        NativeLibrary.into(directory);
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
        List<String> all = Stream.concat(Stream.of(options), Stream.of("-Djava.library.path=" + directory))
                .toList();
        sidecar = SidecarProcess.start(directory, List.of(), all, """
            admin: {address: '127.0.0.1:0', ADMIN}
            log-level: info
            listeners:
              - {name: test, address: '127.0.0.1:0', cluster: app}
            clusters:
              app: {endpoints: ['127.0.0.1:PORT']}
            """.replace("ADMIN", admin)
                .replace("PORT", Integer.toString(backend.port())));
    }

    private RawClient send(String query) throws IOException {
        return sidecar.adminClient()
                .readTimeoutMs(60_000)
                .send("POST /compiler-events" + query + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    }

    private RawResponse watch(String query) throws IOException {
        try (RawClient client = send(query)) {
            return client.response("POST");
        }
    }

    private boolean isLogged() {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(sidecar.pid()), "fd"))) {
            return files.anyMatch(CompilerEventsPageIT::isLog);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isLog(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("remora-vm-log");
        } catch (IOException e) {
            // it was closed meanwhile
            return false;
        }
    }

    @Test
    void itStreamsWhatIsCompiledAndThenTheLogIsOff() throws IOException {
        start("profile: true");
        assertThat(isLogged()).isFalse();
        load = SteadyLoad.start(sidecar.address(), 4, 1, 500);
        RawResponse response = watch("?duration=5s");
        assertThat(response.status()).isEqualTo(200);
        String text = response.bodyText();
        assertThat(text.lines()).isNotEmpty().allMatch(line -> line.isEmpty() || line.startsWith("["));
        assertThat(text).containsPattern("\\[\\d+\\.\\d+s\\] +\\d+ .* io\\.(netty|remora)\\.[\\w.$]+::\\w+ ");
        int bytes = text.length();
        sidecar.awaitLog(" bytes=" + bytes + '\n');
        assertThat(sidecar.log())
                .containsPattern(
                        "compiler: events of 5s sent; the log of the JVM is off again peer=127\\.0\\.0\\.1:\\d+"
                                + " bytes=" + bytes);
        Await.until("the file is closed", () -> !isLogged());
        // a second time, by another file
        assertThat(watch("?duration=1s").status()).isEqualTo(200);
        Await.until("the file is closed", () -> !isLogged());
        assertThat(load.failures()).isEmpty();
    }

    @Test
    void aSecondClientIsRefusedAndTheLogEndsWithTheFirst() throws IOException {
        start("profile: true");
        try (RawClient first = send("?duration=5m")) {
            assertThat(first.responseHead().status()).isEqualTo(200);
            Await.until("the log is on", this::isLogged);
            RawResponse second = watch("?duration=1s");
            assertThat(second.status()).isEqualTo(409);
            assertThat(second.bodyText()).startsWith("another client is watching");
        }
        sidecar.awaitLog("compiler: the client has left; cutting the response peer=127.0.0.1:");
        assertThat(sidecar.log()).containsPattern("cutting the response peer=127\\.0\\.0\\.1:\\d+ bytes=\\d+\n");
        Await.until("the file is closed", () -> !isLogged());
        assertThat(sidecar.isAlive()).isTrue();
    }

    @Test
    void aRequestThatMakesNoSenseIsRefused() throws IOException {
        start("profile: true");
        for (String query : List.of(
                "?duration=0s", "?duration=301s", "?duration=", "?duration=1s&duration=1s", "?s=1", "?duration=9")) {
            assertThat(watch(query).status()).as(query).isEqualTo(400);
        }
        assertThat(isLogged()).isFalse();
    }

    @Test
    void withoutPermissionOrLibraryThereIsNone() throws IOException {
        start("profile: false");
        assertThat(watch("").status()).isEqualTo(403);
        sidecar.close();
        Files.delete(directory.resolve("libremora.so"));
        start("profile: true");
        RawResponse response = watch("?duration=1s");
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.bodyText()).startsWith("this JDK does not find the libremora.so");
    }
}
