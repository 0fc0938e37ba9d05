package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.ThreadNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages that look inside the process load no class, map no library and start no thread before a client asks for them. */
final class UnaskedPagesIT {
    private static final String[] CLASSES = {
        "io.remora.profile.",
        "io.remora.flame.",
        "io.remora.recorder.",
        "io.remora.admin.CompilerEventsPage",
        "io.remora.admin.HeapDump",
        "io.remora.admin.HeapPages",
        "io.remora.admin.LongTurnsPage",
        "io.remora.admin.NativeMemoryPage",
        "io.remora.admin.ProfilePage",
        "io.remora.admin.RecordingPages",
        "io.remora.admin.SlowPage",
        "io.remora.dashboard.",
        "io.remora.transport.LongTurns",
        "jdk.jfr."
    };

    @TempDir
    private Path directory;

    private static RawResponse ask(SidecarProcess sidecar, String method, String path) throws IOException {
        try (RawClient admin = sidecar.adminClient().readTimeoutMs(60_000)) {
            return admin.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response(method);
        }
    }

    private static boolean isOfAPage(String thread) {
        return thread.startsWith("remora-heap") || thread.startsWith("remora-profile");
    }

    @Test
    void theirSwitchesCostNothing() throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        NativeLibrary.into(directory);
        NativeLibrary.ofProfilerInto(directory);
        List<String> options = List.of(
                "-Djava.library.path=" + directory, "-Xlog:class+load:file=" + loaded, "-XX:TieredStopAtLevel=1");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory, List.of(), options, """
                        admin: { address: '127.0.0.1:0', profile: true, pages: act }
                        log-level: info
                        listeners:
                          - { name: test, address: '127.0.0.1:0', cluster: app }
                        clusters:
                          app: { endpoints: ['127.0.0.1:PORT'] }
                        """.replace("PORT", Integer.toString(backend.port())));
                RawClient client = sidecar.client()) {
            for (String page : List.of("/", "/metrics", "/config", "/clusters", "/memory", "/threads", "/none")) {
                ask(sidecar, "GET", page);
            }
            client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
            String before = Files.readString(loaded);
            assertThat(before).contains("io.remora.admin.AdminPages ").doesNotContain(CLASSES);
            assertThat(Files.readString(Path.of("/proc", Long.toString(sidecar.pid()), "maps")))
                    .contains("libremora.so")
                    .doesNotContain("libremora_profile");
            assertThat(ThreadNames.of(sidecar.pid())).contains("remora-admin").noneMatch(UnaskedPagesIT::isOfAPage);
            assertThat(ask(sidecar, "POST", "/heap-histogram").bodyText()).contains("class name");
            RawResponse profile = ask(sidecar, "POST", "/profile?kind=wall&seconds=1&format=collapsed");
            assertThat(profile.status()).isEqualTo(200);
            assertThat(profile.bodyText()).containsPattern("(?m)^.+;.+ \\d+$");
            assertThat(Files.readString(loaded))
                    .contains("io.remora.admin.HeapPages ", "io.remora.admin.ProfilePage ", "io.remora.profile.");
            Await.until("their threads have ended", () -> ThreadNames.of(sidecar.pid()).stream()
                    .noneMatch(UnaskedPagesIT::isOfAPage));
        }
    }
}
