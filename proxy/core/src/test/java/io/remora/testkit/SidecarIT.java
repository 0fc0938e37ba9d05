package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sidecar of the tests: what it says of the one it starts must be true, or the tests on it say nothing. */
final class SidecarIT {
    private static final int ROUNDS = 10;

    @Test
    void leavesNothingBehindWhateverIsOpen() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            try (RecordingBackend backend = RecordingBackend.start();
                    Sidecar sidecar = Sidecar.before(backend);
                    RawClient closedFirst = sidecar.client()) {
                closedFirst.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").response();
                RawClient left = sidecar.client();
                assertThat(left.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                .response()
                                .bodyText())
                        .isEqualTo("ok");
            }
        }
    }

    @Test
    void closesBothSides() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start()) {
            Sidecar sidecar = Sidecar.before(backend);
            RawClient client = sidecar.client();
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").response();
            sidecar.close();
            assertThat(client.closedByPeer()).isTrue();
            Await.until("the backend's side is closed", () -> backend.openConnections() == 0);
        }
    }

    @Test
    void refusesABadConfiguration() {
        assertThatThrownBy(() -> Sidecar.of("listeners: []\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("test.yaml:1");
    }

    @Test
    void passesSettingsOn() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar =
                        Sidecar.before(backend, "limits:\n  body: 3B\n", "timeouts: { response-header: 5s }\n");
                RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(413);
            assertThat(sidecar.admin("GET", "/config").bodyText()).contains("response-header: 5s");
        }
    }

    /** Its own end gives back what it opened, which no page of its can tell any more. */
    @Test
    void givesEverythingBack() throws IOException {
        leavesNothingBehindWhateverIsOpen();
        long descriptorsBefore = descriptors();
        long directBefore = PlatformDependent.usedDirectMemory();
        leavesNothingBehindWhateverIsOpen();
        Await.until("no descriptor left", () -> descriptors() <= descriptorsBefore);
        Await.until("no direct memory left", () -> PlatformDependent.usedDirectMemory() <= directBefore);
    }

    private static long descriptors() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
