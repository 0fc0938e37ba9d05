package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Crowd;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several event loops under a mixed load: each exchange right, and the counters of the loops add up. */
@Contract
final class WorkersIT {
    private static final int CLIENTS = 12;
    private static final int ROUNDS = 40;

    @RegisterExtension
    final Stand stand = new Stand();

    private static void serve(BackendConnection connection) throws IOException {
        RawRequest request = connection.readRequest();
        String text = request.target() + request.bodyText();
        switch (request.target().charAt(1)) {
            case 'c' -> {
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                connection.write(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n0\r\n\r\n");
            }
            case 'x' -> {
                connection.write(
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
                connection.close();
            }
            case 'b' -> connection.write("HTTP/1.1 broken\r\n\r\n");
            default -> connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
        }
    }

    /** One client: connections kept and not, every framing, a failure in each round. */
    private void drive(int client) throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            try (RawClient kept = stand.sidecar().client()) {
                String id = client + "." + round;
                assertThat(kept.send("GET /g" + id + " HTTP/1.1\r\nHost: app\r\n\r\n")
                                .response()
                                .bodyText())
                        .isEqualTo("/g" + id);
                kept.send("POST /c" + id + " HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nabc");
                assertThat(kept.response().bodyText()).isEqualTo("/c" + id + "abc");
                assertThat(kept.send("GET /b" + id + " HTTP/1.1\r\nHost: app\r\n\r\n")
                                .response()
                                .status())
                        .isEqualTo(502);
                kept.send("POST /x" + id
                        + " HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
                assertThat(kept.response().bodyText()).isEqualTo("/x" + id + "hi");
            }
        }
    }

    @Test
    void serveAMixedLoad() throws Exception {
        stand.start(Setup.before(stand.backend).process("workers: 2"));
        stand.backend.onRequest(WorkersIT::serve);
        Crowd.of(CLIENTS, this::drive);
        int connections = CLIENTS * ROUNDS;
        assertThat(stand.responses(2)).isEqualTo(3L * connections);
        assertThat(stand.responses(5)).isEqualTo(connections);
        stand.counted(Failure.BAD_RESPONSE, connections);
        assertThat(stand.sidecar().count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(connections);
        assertThat(stand.sidecar().metrics().labelValues("remora_event_loop_lag_seconds_count", "loop"))
                .hasSize(2);
    }

    /** An exchange and both its connections are on one loop: no loop uses the other's connections. */
    @Test
    void keepTheirConnectionsToThemselves() throws IOException {
        stand.start(Setup.before(stand.backend).process("workers: 2"));
        for (int i = 0; i < 8; i++) {
            try (RawClient client = stand.sidecar().client()) {
                for (int j = 0; j < 3; j++) {
                    assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
                }
            }
        }
        assertThat(stand.backend.connections()).hasSize(2);
    }

    /** Limits of a listener hold over all its loops together. */
    @Test
    void shareTheLimitOfExchanges() throws IOException {
        stand.start(Setup.before(stand.backend).process("workers: 2").listener("limits: { in-flight: 3 }"));
        stand.backend.onRequest(BackendConnection::readToEnd);
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(stand.client().send(GET));
        }
        Await.until("in flight", () -> stand.openAtBackend() == 3);
        for (int i = 0; i < 4; i++) {
            assertThat(stand.client().send(GET).response().status()).isEqualTo(503);
        }
        for (RawClient client : clients) {
            client.reset();
        }
        stand.sidecar().awaitIdle();
        assertThat(stand.failures(Failure.OVERLOADED)).isEqualTo(4);
        assertThat(stand.failures(Failure.CLIENT_GONE)).isEqualTo(3);
    }
}
