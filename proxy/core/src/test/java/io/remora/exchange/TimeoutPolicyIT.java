package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a route's requests may take, and what callers may say of it. */
@EveryEngine
final class TimeoutPolicyIT {
    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private SeamStand stand(String listener, String route) {
        return SeamStand.start(
                new Seams(),
                SeamStand.config("listeners:\n  - name: test\n    address: \"127.0.0.1:0\"\n"
                        + "    timeouts: {caller-header: X-Wait}\n" + listener.indent(4)
                        + "    routes: [{cluster: app, " + route + "}]\nclusters:\n  app:\n    endpoints: [\"127.0.0.1:"
                        + backend.port() + "\"]\n"));
    }

    private static RawResponse get(SeamStand stand, String wait) throws IOException {
        String field = wait.isEmpty() ? "" : "X-Wait: " + wait + "\r\n";
        return stand.client()
                .send("GET / HTTP/1.1\r\nHost: app\r\n" + field + "\r\n")
                .response();
    }

    private static void refused(SeamStand stand, RawResponse response, String label) {
        assertThat(response.status()).isEqualTo(504);
        assertThat(response.field("Remora-Error")).isEqualTo(label);
        stand.awaitIdle();
        assertThat(stand.failures(label)).isOne();
        assertThat(stand.failures()).isOne();
    }

    private static long outcomes(SeamStand stand, String outcome) {
        return stand.metric("remora_endpoint_outcomes_total", '"' + outcome + '"');
    }

    @ParameterizedTest
    @CsvSource({"total, total-timeout", "try, try-timeout"})
    void anEndpointThatIsSilentForTooLongFails(String key, String label) throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (SeamStand stand = stand("", "timeouts: {" + key + ": 40ms}")) {
            refused(stand, get(stand, ""), label);
            assertThat(outcomes(stand, "failure")).isOne();
        }
    }

    @Test
    void aResponseThatTakesTooLongIsCut() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
            connection.readToEnd();
        });
        try (SeamStand stand = stand("", "timeouts: {total: 400ms}")) {
            RawClient client = stand.client();
            client.send(SeamStand.GET);
            assertThat(client.responseHead().status()).isEqualTo(200);
            Await.until("cut", () -> stand.failures("total-timeout") == 1);
            stand.awaitIdle();
            assertThat(outcomes(stand, "failure")).isZero();
        }
    }

    /** The time that a try has begins when the client has said all. */
    @Test
    void aSlowClientIsNotTheEndpointsFault() throws IOException {
        try (SeamStand stand = stand("", "timeouts: {try: 30ms, total: 600ms}")) {
            RawClient client = stand.client();
            client.send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\na");
            refused(stand, client.response(), "total-timeout");
            assertThat(outcomes(stand, "failure")).isZero();
            assertThat(outcomes(stand, "ignored")).isOne();
        }
    }

    // ---- what callers say

    @ParameterizedTest
    @ValueSource(strings = {"400", "400ms", "0.4s"})
    void aCallerMayShortenIt(String wait) throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (SeamStand stand = stand("", "timeouts: {total: 1h}")) {
            refused(stand, get(stand, wait), "caller-deadline");
            assertThat(outcomes(stand, "ignored")).isOne();
            assertThat(outcomes(stand, "failure")).isZero();
        }
    }

    @Test
    void aCallerNeverLengthensIt() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (SeamStand stand = stand("", "timeouts: {total: 40ms}")) {
            refused(stand, get(stand, "1h"), "total-timeout");
        }
    }

    @Test
    void theNextHopLearnsWhatIsLeft() throws IOException {
        try (SeamStand stand = stand("", "timeouts: {total: 5s}")) {
            for (String wait : new String[] {"60000", "1m"}) {
                assertThat(get(stand, wait).status()).isEqualTo(200);
            }
            String plain = backend.requests().get(0).field("X-Wait");
            String withUnit = backend.requests().get(1).field("X-Wait");
            assertThat(Long.parseLong(plain)).isBetween(1L, 5_000L);
            assertThat(withUnit).endsWith("ms");
            assertThat(Long.parseLong(withUnit.replace("ms", ""))).isBetween(1L, 5_000L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "0", "-5", "1e3", "5 s", "99999999999h"})
    void whatCannotBeReadSaysNothing(String wait) throws IOException {
        try (SeamStand stand = stand("", "timeouts: {total: 5s}")) {
            assertThat(get(stand, wait).status()).isEqualTo(200);
            assertThat(backend.requests().get(0).field("X-Wait")).isEqualTo(wait);
        }
    }

    @Test
    void aStrangerIsNotListenedToWhereSomebodyIsTrusted() throws IOException {
        try (SeamStand stand = stand("trust: {cidrs: [10.0.0.0/8]}", "timeouts: {total: 5s}")) {
            assertThat(get(stand, "1ns").status()).isEqualTo(200);
            assertThat(backend.requests().get(0).fields().has("X-Wait")).isFalse();
        }
        try (SeamStand stand = stand("trust: {cidrs: [127.0.0.0/8]}", "timeouts: {total: 5s}")) {
            refused(stand, get(stand, "1ns"), "caller-deadline");
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void anUpgradedConnectionIsNotBound() throws IOException {
        backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
            connection.input().read();
            connection.write("x");
            connection.readToEnd();
        });
        try (SeamStand stand = stand("", "timeouts: {total: 600ms, try: 500ms}")) {
            RawClient client = stand.client();
            client.send("GET / HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
            assertThat(client.responseHead().status()).isEqualTo(101);
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1_000);
            Await.until("the bound has passed", () -> System.nanoTime() - endNs > 0);
            client.send("y");
            assertThat(client.read(1)).containsExactly('x');
            assertThat(stand.failures()).isZero();
        }
    }
}
