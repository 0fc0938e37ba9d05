package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a sidecar with connections to its admin listener. They end with it, and their memory is released. */
final class AdminEndIT {
    private static final String IDLE = "GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String STREAM = "GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String UNFINISHED = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(2_000);
    private static final String UNFINISHED_BODY =
            "POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + "x".repeat(500);

    /** Index of the connection on which events may still be on their way. */
    private static final int STREAMING = 1;

    private static void endWithOpenConnections() throws IOException {
        List<RawClient> open = new ArrayList<>();
        try (RecordingBackend backend = RecordingBackend.start()) {
            try (Sidecar sidecar = Sidecar.before(backend)) {
                for (String sent : List.of(IDLE, STREAM, UNFINISHED, UNFINISHED_BODY)) {
                    RawClient client = sidecar.adminClient().send(sent);
                    open.add(client);
                    if (sent.equals(IDLE)) {
                        assertThat(client.response().status()).isEqualTo(200);
                    } else if (sent.equals(STREAM)) {
                        assertThat(client.responseHead().status()).isEqualTo(200);
                    }
                }
                // two turns of the admin thread, of which the second begins after the unfinished requests have arrived
                assertThat(sidecar.admin("GET", "/ready").status()).isEqualTo(200);
                assertThat(sidecar.admin("GET", "/ready").status()).isEqualTo(200);
            }
            // which fails where a connection stays
            open.get(STREAMING).readToEnd();
            open.remove(STREAMING).close();
            for (RawClient client : open) {
                assertThat(client.readToEnd()).isEmpty();
            }
        } finally {
            open.forEach(RawClient::close);
        }
    }

    @Test
    void releasesTheMemoryOfOpenConnections() throws IOException {
        endWithOpenConnections();
        long before = PlatformDependent.usedDirectMemory();
        for (int i = 0; i < 5; i++) {
            endWithOpenConnections();
        }
        Await.until("no direct memory is left", () -> PlatformDependent.usedDirectMemory() <= before);
    }
}
