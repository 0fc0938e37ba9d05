package io.remora.dataplane;

import static io.remora.dataplane.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections opened, used in every way and closed, in a loop, leave nothing behind. */
final class ChurnIT {
    private static final int ROUNDS = 250;
    private static final int LARGE_BYTES = 1 << 20;

    /** What one client does with its connection, its end included. */
    private interface Use {
        void on(RawClient client) throws IOException;
    }

    private static final List<Use> USES = List.of(
            ChurnIT::isServedAndCloses,
            ChurnIT::isServedAndResets,
            ChurnIT::halfCloses,
            RawClient::close,
            ChurnIT::resetsWhileItIsServed,
            ChurnIT::leavesWithinAHead,
            ChurnIT::leavesWithinABody,
            ChurnIT::leavesWithinAResponse);

    private static void isServedAndCloses(RawClient client) throws IOException {
        client.send(GET + GET);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        client.close();
    }

    private static void isServedAndResets(RawClient client) throws IOException {
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        client.reset();
    }

    private static void halfCloses(RawClient client) throws IOException {
        client.send(GET).shutdownOutput();
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(client.closedByPeer()).isTrue();
        client.close();
    }

    private static void resetsWhileItIsServed(RawClient client) throws IOException {
        client.send(GET).reset();
    }

    private static void leavesWithinAHead(RawClient client) throws IOException {
        client.send("GET / HTTP/1.1\r\nHos").close();
    }

    private static void leavesWithinABody(RawClient client) throws IOException {
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 4\r\n\r\nhe")
                .close();
    }

    private static void leavesWithinAResponse(RawClient client) throws IOException {
        client.send("GET /large HTTP/1.1\r\nHost: app\r\n\r\n");
        assertThat(client.responseHead().status()).isEqualTo(200);
        client.reset();
    }

    /** Closes everything in the end, and asserts by that that no counter is left. */
    private static void churn(int rounds) throws IOException {
        byte[] large = new byte[LARGE_BYTES];
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend)) {
            backend.onRequest(connection -> {
                if (connection.readRequest().target().equals("/large")) {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
                    connection.write(large);
                } else {
                    connection.write(RecordingBackend.OK);
                }
            });
            for (int round = 0; round < rounds; round++) {
                useAllAtOnce(sidecar);
            }
            Await.until(
                    "every connection was taken",
                    () -> sidecar.count(ListenerMetric.FRONTEND_ACCEPTED) == (long) rounds * USES.size());
        }
    }

    private static void useAllAtOnce(Sidecar sidecar) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < USES.size(); i++) {
            clients.add(sidecar.client());
        }
        for (int i = 0; i < USES.size(); i++) {
            USES.get(i).on(clients.get(i));
        }
    }

    private static int descriptors() {
        int count = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                count += each.getNameCount() > 0 ? 1 : 0;
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return count;
    }

    @Test
    void leavesNothing() throws IOException {
        assertThat(ROUNDS * USES.size()).isEqualTo(2_000);
        // what a first use loads and opens for good
        churn(2);
        int descriptorsBefore = descriptors();
        long directBefore = PlatformDependent.usedDirectMemory();
        churn(ROUNDS);
        Await.until("no descriptor left", () -> descriptors() <= descriptorsBefore);
        Await.until("no direct memory left", () -> PlatformDependent.usedDirectMemory() <= directBefore);
    }
}
