package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens at each limit, and that nothing is left of it behind. */
@Contract
final class OverloadIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private long accepted() {
        return stand.sidecar().count(Count.CONNECTIONS_ACCEPTED);
    }

    private long open() {
        return stand.sidecar().count(Count.CONNECTIONS_ACTIVE);
    }

    /** Clients that wait their turn for a connection are served as others leave. */
    @ParameterizedTest
    @CsvSource({"1, 1", "3, 1", "3, 2"})
    void connections(int limit, int workers) throws IOException {
        stand.start(Setup.before(stand.backend)
                .process("workers: " + workers)
                .listener("limits: { connections: " + limit + " }"));
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            // the kernel answers for the sidecar
            clients.add(stand.client().send(GET));
        }
        for (int served = 0; served < 40; served++) {
            RawClient next = answered(clients);
            // a loop other than the acceptor's counts a close when the place may be taken already
            assertThat(open()).isLessThanOrEqualTo(limit + workers - 1);
            clients.remove(next);
            next.close();
        }
        stand.nothingFailed();
        assertThat(stand.responses(2)).isEqualTo(40);
    }

    /** One of the clients whose response has come. */
    private static RawClient answered(List<RawClient> clients) throws IOException {
        List<RawClient> found = new ArrayList<>();
        Await.until("one is answered", () -> {
            for (RawClient client : clients) {
                if (available(client)) {
                    found.add(client);
                    return true;
                }
            }
            return false;
        });
        assertThat(found.get(0).response().bodyText()).isEqualTo("ok");
        return found.get(0);
    }

    private static boolean available(RawClient client) {
        try {
            return client.input().available() > 0;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Many that come at once are no more than the limit either. */
    @Test
    void connectionsAtOnce() throws IOException {
        int limit = 5;
        stand.start("limits: { connections: 5 }", "");
        List<RawClient> clients = new ArrayList<>();
        stand.sidecar().stall(() -> {
            for (int i = 0; i < 20; i++) {
                clients.add(stand.client());
            }
        });
        stand.sidecar().barrier();
        stand.sidecar().barrier();
        assertThat(accepted()).isEqualTo(limit);
        clients.forEach(RawClient::close);
        Await.until("all had their turn", () -> accepted() == 20);
    }

    @Test
    void exchangesInFlight() throws IOException {
        stand.start("limits: { in-flight: 2 }", "");
        stand.answerLater();
        RawClient first = stand.client().send(GET);
        RawClient second = stand.client().send(GET);
        Await.until("both are in flight", () -> stand.backend.connections().size() == 2);
        RawClient third = stand.client();
        RawResponse response = stand.refusedMeanwhile(third.send(GET).response(), Failure.OVERLOADED);
        assertThat(response.field("Retry-After")).matches("\\d+");
        assertThat(response.fields().has("Connection")).isFalse();
        stand.mayAnswer();
        assertThat(first.response().bodyText()).isEqualTo("ok");
        assertThat(second.response().bodyText()).isEqualTo("ok");
        assertThat(third.send(GET).response().bodyText()).isEqualTo("ok");
        stand.countedOnce(Failure.OVERLOADED);
    }

    /** Whatever becomes of an exchange, its place is free again. */
    @Test
    void exchangesInFlightThatFail() throws IOException {
        stand.start("limits: { in-flight: 1, body: 10B }", "timeouts: { response-header: 100ms }");
        stand.backend.onRequest(connection -> {
            switch (connection.readHead().target()) {
                case "/cut" -> connection.close();
                case "/bad" -> connection.write("nonsense\r\n\r\n");
                case "/half" -> {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
                    connection.close();
                }
                case "/never" -> connection.readToEnd();
                default -> connection.write(RecordingBackend.OK);
            }
        });
        String[] targets = {"/cut", "/bad", "/half", "/never", "/\u0001", "/large"};
        for (String target : targets) {
            RawClient client = stand.client();
            String length = target.equals("/large") ? "Content-Length: 11\r\n" : "";
            client.send("GET " + target + " HTTP/1.1\r\nHost: app\r\nConnection: close\r\n" + length + "\r\n");
            assertThat(client.readToEnd()).isNotEmpty();
            stand.sidecar().awaitIdle();
            long begun = stand.sidecar().count(Count.EXCHANGES_STARTED);
            RawClient gone = stand.client();
            gone.send("GET /never HTTP/1.1\r\nHost: app\r\n\r\n");
            Await.until("in flight", () -> stand.sidecar().count(Count.EXCHANGES_STARTED) > begun);
            gone.reset();
            stand.sidecar().awaitIdle();
            assertThat(stand.get().status()).as("behind %s", target).isEqualTo(200);
        }
        assertThat(stand.failures(Failure.OVERLOADED)).isZero();
    }

    @Test
    void connectionsToTheBackend() throws IOException {
        stand.start("", "max-connections: 2");
        stand.answerLater();
        RawClient first = stand.client().send(GET);
        RawClient second = stand.client().send(GET);
        Await.until("both are in flight", () -> stand.backend.connections().size() == 2);
        RawClient third = stand.client();
        stand.refusedMeanwhile(third.send(GET).response(), Failure.POOL_EXHAUSTED);
        stand.mayAnswer();
        first.response();
        second.response();
        assertThat(third.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(stand.sidecar().count(Count.BACKEND_POOL_EXHAUSTED)).isOne();
        assertThat(stand.backend.connections()).hasSize(2);
    }

    @Test
    void bodiesByTheirLength() throws IOException {
        stand.start("limits: { body: 1KiB }", "");
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1024\r\n\r\n" + "x".repeat(1024));
        assertThat(client.response().status()).isEqualTo(200);
        client.send("POST / HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 1025\r\n\r\n");
        RawResponse response = stand.refused(client.response(), Failure.BODY_TOO_LARGE);
        assertThat(response.interim()).isEmpty();
        assertThat(stand.backend.requests()).hasSize(1);
        assertThat(client.closedByPeer()).isTrue();
    }

    @Test
    void bodiesByTheirChunks() throws IOException {
        stand.start("limits: { body: 1KiB }", "");
        stand.backend.neverAnswer();
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n" + "x".repeat(1024)
                + "\r\n");
        Await.until(
                "all of it is there", () -> Wire.text(stand.backend.received()).endsWith("x\r\n"));
        client.send("1\r\nx\r\n0\r\n\r\n");
        RawResponse response = stand.refused(client.response(), Failure.BODY_TOO_LARGE);
        assertThat(response.fields().tokens("Connection")).contains("close");
        Await.until("the backend saw it cut", () -> stand.backend.openConnections() == 0);
        assertThat(Wire.text(stand.backend.received())).doesNotEndWith("0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /" + "{256}" + " HTTP/1.1\r\nHost: app\r\n\r\n -> target-too-long",
                "GET / HTTP/1.1\r\nHost: app\r\nX: {512}\r\n\r\n -> headers-too-large",
                "GET / HTTP/1.1\r\nHost: app\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n -> headers-too-large",
            })
    void heads(String requestAndLabel) throws IOException {
        stand.start("limits: { request-line: 256B, header-block: 512B, header-fields: 4 }", "");
        String[] both = requestAndLabel.split(" -> ", -1);
        String request = both[0].replace("{256}", "a".repeat(256)).replace("{512}", "a".repeat(512));
        RawClient client = stand.client();
        client.trySend(Wire.bytes(request));
        Failure expected = both[1].equals("target-too-long") ? Failure.TARGET_TOO_LONG : Failure.HEADERS_TOO_LARGE;
        stand.refused(client.response(), expected);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(stand.backend.connections()).isEmpty();
    }
}
