package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A sidecar with nothing but a listener and a cluster of one endpoint, for what it must not load. */
public final class PlainSidecar {
    private PlainSidecar() {}

    /** The log of the classes that it loads from its start to its end, with a request and its admin pages between. */
    public static String classes(Path directory) throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory, backend, List.of(), List.of("-Xlog:class+load:file=" + loaded), "")) {
            try (RawClient client = sidecar.client();
                    RawClient admin = sidecar.adminClient()) {
                String get = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";
                assertThat(client.send(get).response().bodyText()).isEqualTo("ok");
                for (String page : List.of("/metrics", "/config", "/clusters")) {
                    // a scraper asks for every format that it knows
                    admin.send("GET " + page + " HTTP/1.1\r\nHost: localhost\r\n"
                            + "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5,*/*;q=0.1\r\n\r\n");
                    assertThat(admin.response().status()).isEqualTo(200);
                }
            }
            sidecar.endsWell();
            return Files.readString(loaded);
        }
    }
}
