package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A thousand connections that end badly, on either side, leave nothing behind: no descriptor, no buffer, no counter.
 */
@Contract
final class FaultChurnIT {
    private static final int CONNECTIONS = 1_000;

    @RegisterExtension
    final Stand stand = new Stand();

    private long descriptors() {
        return stand.sidecar().count(Count.OPEN_DESCRIPTORS);
    }

    /** One client's life on one connection. */
    private interface Life {
        void live(RawClient client, int index) throws IOException;
    }

    private void churn(Life life) throws IOException {
        // the first ones open what stays: pools, selectors
        for (int i = 0; i < 10; i++) {
            one(life, i);
        }
        awaitQuiet();
        long descriptorsBefore = descriptors();
        long directBefore = stand.sidecar().count(Count.DIRECT_MEMORY_BYTES);
        for (int i = 0; i < CONNECTIONS; i++) {
            one(life, i);
        }
        awaitQuiet();
        Await.until("no descriptor is left", () -> descriptors() <= descriptorsBefore);
        Await.until("no buffer is left", () -> stand.sidecar().count(Count.DIRECT_MEMORY_BYTES) <= directBefore);
        assertThat(stand.sidecar().count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(CONNECTIONS + 10);
    }

    private void one(Life life, int index) throws IOException {
        try (RawClient client = stand.sidecar().client()) {
            life.live(client, index);
        }
    }

    private void awaitQuiet() {
        stand.sidecar().awaitIdle();
        Await.until("all clients' connections are closed", () -> stand.sidecar().count(Count.CONNECTIONS_ACTIVE) == 0);
        Await.until(
                "no connection to the backend is in use", () -> stand.sidecar().count(Count.BACKEND_EXCHANGES) == 0);
        // how many are kept depends on how soon each reset was seen
        Await.until(
                "no connection to the backend is kept",
                () -> stand.sidecar().count(Count.BACKEND_CONNECTIONS_IDLE) == 0);
    }

    @Test
    void ofBackendConnections() throws IOException {
        stand.sidecar();
        stand.backend.reply("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        churn((client, index) ->
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok"));
        stand.nothingFailed();
    }

    /** Each the worse way in its turn: cut heads, cut bodies, breaches, resets early and late, backends that cut. */
    @Test
    void ofBadClientsAndBackends() throws IOException {
        stand.start("timeouts: { body-idle: 5s }", "timeouts: { idle: 100ms }");
        stand.backend.onRequest(connection -> {
            String target = connection.readHead().target();
            if (target.equals("/reset")) {
                connection.reset();
            } else if (target.equals("/half")) {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(50_000));
                connection.close();
            } else if (target.equals("/bad")) {
                connection.write("HTTP/1.1 bad\r\n\r\n");
            } else {
                connection.write(RecordingBackend.OK);
            }
        });
        churn(FaultChurnIT::liveBadly);
        assertThat(stand.failures(Failure.INTERNAL)).isZero();
        assertThat(stand.failures(Failure.BAD_REQUEST)).isPositive();
        assertThat(stand.failures(Failure.BACKEND_CLOSED)).isPositive();
        assertThat(stand.failures(Failure.BAD_RESPONSE)).isPositive();
    }

    private static void liveBadly(RawClient client, int index) throws IOException {
        switch (index % 8) {
            case 0 -> client.send("GET / HT").reset();
            case 1 ->
                client.send("GET / HTTP/1.1\r\nHost: app\r\nX: \0\r\n\r\n").response();
            case 2 ->
                client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 10\r\n\r\n12345")
                        .reset();
            case 3 -> client.send(get("/reset")).response();
            case 4 -> client.send(get("/half")).readToEnd();
            case 5 -> client.send(get("/bad")).response();
            case 6 -> client.send(get("/half")).reset();
            default -> client.send(Wire.bytes(GET.repeat(20))).reset();
        }
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }
}
