package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints that come and go, told by one of the sidecar's own resolvers. */
final class FinagleResolverIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @TempDir
    private Path directory;

    private void tell(Path file, String endpoints) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), "[" + endpoints + "]\n");
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String at(RecordingBackend backend) {
        return "\"127.0.0.1:" + backend.port() + '"';
    }

    private static String ask(RawClient client) {
        try {
            return client.send(GET).response().bodyText();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void followsItsSource() throws IOException {
        Path file = directory.resolve("endpoints.yaml");
        try (RecordingBackend first = RecordingBackend.start();
                RecordingBackend second = RecordingBackend.start()) {
            second.reply("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
            try (Sidecar sidecar = Sidecar.of("""
                            engine: finagle
                            log-level: warn
                            admin: {address: "127.0.0.1:0"}
                            listeners:
                              - {name: test, address: "127.0.0.1:0", cluster: app}
                              - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                            clusters:
                              app: {resolver: {file: FILE}}
                              barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                            """.replace("FILE", file.toString()));
                    RawClient client = sidecar.client()) {
                RawResponse early = client.send(GET).response();
                assertThat(early.status()).isEqualTo(503);
                assertThat(early.field("Remora-Error")).isEqualTo("not-resolved");
                tell(file, at(first));
                Await.until("the first one is asked", () -> ask(client).equals("ok"));
                tell(file, at(second));
                Await.until("the other one is asked", () -> ask(client).equals("two"));
                Await.until("the first one is left", () -> first.openConnections() == 0);
                tell(file, at(first) + ", " + at(second));
                Await.until("both are asked", () -> ask(client).equals("ok"));
            }
        }
    }
}
