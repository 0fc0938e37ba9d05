package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections opened, used in every way and closed, in a loop, leave nothing behind. */
@Contract
final class ChurnIT {
    private static final int ROUNDS = 250;
    private static final int LARGE_BYTES = 1 << 20;

    /** What one client does with its connection, its end included. */
    private interface Use {
        void on(RawClient client) throws IOException;
    }

    @RegisterExtension
    final Stand stand = new Stand();

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

    private static void answer(BackendConnection connection) throws IOException {
        if (connection.readRequest().target().equals("/large")) {
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
            connection.write(new byte[LARGE_BYTES]);
        } else {
            connection.write(RecordingBackend.OK);
        }
    }

    private void churn(int rounds) throws IOException {
        long before = stand.sidecar().count(Count.CONNECTIONS_ACCEPTED);
        for (int round = 0; round < rounds; round++) {
            useAllAtOnce(stand.sidecar());
        }
        long all = before + (long) rounds * USES.size();
        Await.until("every connection was taken", () -> stand.sidecar().count(Count.CONNECTIONS_ACCEPTED) == all);
        Await.until("every client's is closed", () -> stand.sidecar().count(Count.CONNECTIONS_ACTIVE) == 0);
        Await.until("the backend's are idle for too long", () -> stand.backend.openConnections() == 0);
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

    private long now(Count count) {
        return stand.sidecar().count(count);
    }

    @Test
    void leavesNothing() throws IOException {
        assertThat(ROUNDS * USES.size()).isEqualTo(2_000);
        stand.start("client-half-close: serve", "timeouts: { idle: 500ms }");
        stand.backend.onRequest(ChurnIT::answer);
        // what a first use loads and opens for good
        churn(2);
        long descriptorsBefore = now(Count.OPEN_DESCRIPTORS);
        long directBefore = now(Count.DIRECT_MEMORY_BYTES);
        churn(ROUNDS);
        Await.until("no descriptor left", () -> now(Count.OPEN_DESCRIPTORS) <= descriptorsBefore);
        Await.until("no direct memory left", () -> now(Count.DIRECT_MEMORY_BYTES) <= directBefore);
    }
}
