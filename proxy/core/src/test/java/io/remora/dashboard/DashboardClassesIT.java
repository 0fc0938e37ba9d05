package io.remora.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process loads the dashboard when somebody opens it, and starts no thread for it. */
final class DashboardClassesIT {
    private static final String NUMBERS = "io.remora.dashboard.";
    private static final String WATCH = "io.remora.metrics.ExchangeWatch ";
    private static final String PAGE = "io.remora.admin.DashboardPages ";

    @TempDir
    private Path directory;

    @Test
    void nothingIsLoadedBeforeItIsAskedFor() throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory, backend, List.of(), List.of("-Xlog:class+load:file=" + loaded), "")) {
            try (RawClient admin = sidecar.adminClient();
                    RawClient client = sidecar.client()) {
                for (String page : List.of("/", "/metrics", "/config", "/clusters", "/memory", "/log-level", "/none")) {
                    get(admin, page);
                }
                client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
                assertThat(Files.readString(loaded)).doesNotContain(NUMBERS, WATCH, PAGE);
                String threads = threads(admin);
                get(admin, "/dashboard");
                get(admin, "/dashboard/page.js");
                assertThat(Files.readString(loaded)).contains(PAGE).doesNotContain(NUMBERS, WATCH);
                try (EventStream viewer = EventStream.open(sidecar.adminClient())) {
                    viewer.next();
                    assertThat(Files.readString(loaded)).contains(NUMBERS + "LivePage ", WATCH);
                    assertThat(threads(admin)).isEqualTo(threads);
                }
            }
            sidecar.endsWell();
        }
    }

    /** The names of the sidecar's own threads. */
    private static String threads(RawClient admin) throws IOException {
        StringBuilder names = new StringBuilder();
        get(admin, "/threads").lines().filter(line -> line.contains("remora-")).forEach(line -> names.append(
                        line.substring(line.indexOf("remora-")))
                .append('\n'));
        return names.toString();
    }

    private static String get(RawClient admin, String path) throws IOException {
        return admin.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .response()
                .bodyText();
    }
}
