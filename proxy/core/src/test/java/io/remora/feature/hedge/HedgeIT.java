package io.remora.feature.hedge;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.LoopBudget;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.DeafPort;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that go to a second endpoint because the first one is slow, and those that never do. */
@EveryEngine
final class HedgeIT {
    private static final String HEDGE = "hedge: {min-delay: 20ms}";
    private static final String UNAVAILABLE = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno";
    /** So many have to be answered before anybody knows what is slow. */
    private static final int ENOUGH = 120;

    private static final int KEPT = 64 << 10;

    /** Is asked first. */
    private final RecordingBackend slow = RecordingBackend.start();

    private final RecordingBackend other = RecordingBackend.start();

    @AfterEach
    void close() {
        slow.close();
        other.close();
    }

    /** Knows by now that all are fast. */
    private SeamStand stand(String route, String cluster) throws IOException {
        SeamStand stand = SeamStand.start(
                new Seams(),
                SeamStand.config("""
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    timeouts: {caller-header: l5d-timeout}
                    routes:
                      - {cluster: app, ROUTE}
                clusters:
                  app:
                    endpoints:
                      - "127.0.0.1:SLOW"
                      - {address: "127.0.0.1:OTHER", priority: 1}
                """.replace("ROUTE", route)
                                .replace("SLOW", Integer.toString(slow.port()))
                                .replace("OTHER", Integer.toString(other.port()))
                        + cluster.indent(4)));
        try (RawClient client = RawClient.connect(stand.address())) {
            for (int i = 0; i < ENOUGH; i++) {
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            }
        }
        assertThat(other.connections().size()).as("nobody was slow").isLessThan(5);
        Await.until(
                "nothing is left of it",
                () -> stand.metric("remora_frontend_connections_active") == 0
                        && stand.metric("remora_backend_exchanges_in_flight") == 0);
        return stand;
    }

    private SeamStand stand() throws IOException {
        return stand(HEDGE, "");
    }

    private static long hedges(SeamStand stand, String outcome) {
        return stand.metric("remora_hedges_total", '"' + outcome + '"');
    }

    private static long made(SeamStand stand) {
        return hedges(stand, "won") + hedges(stand, "lost");
    }

    // a connection may be one that an overtaken request of the warm-up has left
    private int seenByOther() {
        return other.requests().size();
    }

    /** From now on the backend reads each request, and goes on once the condition holds. */
    private static void waits(
            RecordingBackend backend, String until, BooleanSupplier condition, RecordingBackend.Script then) {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.waitFor(() -> Await.until(until, condition));
            then.serve(connection);
        });
    }

    /** Goes on once the other one has got so many requests. */
    private void slowWaits(int requests, RecordingBackend.Script then) {
        waits(slow, "the other one is asked", () -> seenByOther() >= requests, then);
    }

    private void answersAfter(int requests, String response) {
        slowWaits(requests, connection -> connection.write(response));
    }

    /** Answers once the other one has got so many requests and has lost its connection. */
    private void answersOnceTheOtherIsGone(int requests) {
        waits(
                slow,
                "the other one's is dropped",
                () -> seenByOther() >= requests && other.openConnections() == 0,
                connection -> connection.write(RecordingBackend.OK));
    }

    /** Goes on once the slow one has lost its connection. */
    private void otherWaits(RecordingBackend.Script then) {
        waits(other, "the first one is gone", () -> slow.openConnections() == 0, then);
    }

    private static String put(int bodyBytes, boolean chunked) {
        String body = "b".repeat(bodyBytes);
        return chunked
                ? "PUT / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(bodyBytes)
                        + "\r\n" + body + "\r\n0\r\n\r\n"
                : "PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: " + bodyBytes + "\r\n\r\n" + body;
    }

    private static void readsOn(BackendConnection connection) throws IOException {
        connection.readRequest();
        connection.readToEnd();
    }

    private static void late(BackendConnection connection) throws IOException {
        connection.readRequest();
        Stand.pause(150);
        connection.write(RecordingBackend.OK);
    }

    // ---- who wins

    /** However often it is overtaken, that is no fault of the slow one's. */
    @Test
    void aSlowEndpointIsOvertaken() throws IOException {
        try (SeamStand stand = stand(HEDGE, "accrual: {consecutive-failures: 1}")) {
            slow.onRequest(BackendConnection::readToEnd);
            for (int i = 0; i < 5; i++) {
                int before = seenByOther();
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                assertThat(seenByOther()).isEqualTo(before + 1);
            }
            stand.awaitIdle();
            assertThat(hedges(stand, "won")).isGreaterThanOrEqualTo(5);
            Await.until("its requests are cancelled", () -> slow.openConnections() == 0);
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"ignored\""))
                    .isGreaterThanOrEqualTo(5);
            assertThat(stand.metric("remora_cluster_ejected")).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void theFirstOneMayStillWin() throws IOException {
        try (SeamStand stand = stand()) {
            other.onRequest(BackendConnection::readToEnd);
            answersAfter(seenByOther() + 1, RecordingBackend.OK);
            long lostBefore = hedges(stand, "lost");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(hedges(stand, "lost")).isEqualTo(lostBefore + 1);
            Await.until("the other one is cancelled", () -> other.openConnections() == 0);
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
        }
    }

    /** Both answer at nearly the same time, and the client gets one response to each request. */
    @Test
    void bothAnswer() throws IOException {
        try (SeamStand stand = stand()) {
            slow.onRequest(connection -> {
                connection.readRequest();
                Stand.pause(21);
                connection.write(RecordingBackend.OK);
            });
            RawClient client = stand.client();
            for (int i = 0; i < 40; i++) {
                RawResponse response =
                        client.send(i % 2 == 0 ? SeamStand.GET : put(5, false)).response();
                assertThat(response.bodyText()).isEqualTo("ok");
            }
            stand.awaitIdle();
            assertThat(made(stand)).isPositive();
            assertThat(stand.failures()).isZero();
            assertThat(stand.metric("remora_memory_heads_bytes")).as("held").isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"5, false", "5, true", "65536, false", "65536, true"})
    void aBodyIsSentToBoth(int bodyBytes, boolean chunked) throws IOException {
        try (SeamStand stand = stand()) {
            slow.onRequest(HedgeIT::readsOn);
            assertThat(stand.client().send(put(bodyBytes, chunked)).response().bodyText())
                    .isEqualTo("ok");
            stand.awaitIdle();
            assertThat(other.requests().get(other.requests().size() - 1).bodyText())
                    .isEqualTo("b".repeat(bodyBytes));
            assertThat(slow.requests().get(slow.requests().size() - 1).bodyText())
                    .isEqualTo("b".repeat(bodyBytes));
            assertThat(stand.metric("remora_memory_heads_bytes")).as("held").isZero();
        }
    }

    // ---- one of the two fails

    @Test
    void theSecondGoesOnWhereTheFirstFails() throws IOException {
        try (SeamStand stand = stand()) {
            int asked = seenByOther() + 1;
            slowWaits(asked, BackendConnection::reset);
            otherWaits(connection -> connection.write(RecordingBackend.OK));
            // a connection of its own, as one that had been used is thought to be stale
            assertThat(stand.client().send(put(5, false)).response().bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(seenByOther()).isEqualTo(asked);
            assertThat(hedges(stand, "won")).isPositive();
            assertThat(stand.retries()).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void theFirstGoesOnWhereTheSecondFails() throws IOException {
        try (SeamStand stand = stand()) {
            other.onRequest(connection -> {
                connection.readRequest();
                connection.reset();
            });
            int asked = seenByOther() + 1;
            answersOnceTheOtherIsGone(asked);
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(hedges(stand, "lost")).isPositive();
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void bothFail() throws IOException {
        try (SeamStand stand = stand()) {
            int asked = seenByOther() + 1;
            slowWaits(asked, BackendConnection::reset);
            otherWaits(BackendConnection::reset);
            assertThat(stand.client().send(put(5, false)).response().status()).isEqualTo(502);
            stand.awaitIdle();
            assertThat(hedges(stand, "lost")).isPositive();
            assertThat(stand.failures("backend-closed")).isOne();
        }
    }

    /** A response that would be dropped for another attempt does not win over one that may be better. */
    @Test
    void aBadStatusDoesNotWin() throws IOException {
        try (SeamStand stand = stand(HEDGE, "retries: {back-off: 1ms}")) {
            int asked = seenByOther() + 1;
            answersAfter(asked, UNAVAILABLE);
            other.onRequest(connection -> {
                connection.readRequest();
                Stand.pause(50);
                connection.write(RecordingBackend.OK);
            });
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(seenByOther()).isEqualTo(asked);
            assertThat(stand.metric("remora_cluster_retries_total")).isZero();
            assertThat(hedges(stand, "won")).isPositive();
        }
    }

    /** A failure that comes fast wins over nobody, though nothing would be tried again for it. */
    @Test
    void aFastFailureDoesNotWin() throws IOException {
        try (SeamStand stand = stand()) {
            other.reply(UNAVAILABLE);
            int asked = seenByOther() + 1;
            answersOnceTheOtherIsGone(asked);
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(hedges(stand, "lost")).isPositive();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
        }
    }

    @Test
    void theOtherOneIsWaitedForWhereTheFirstHasFailed() throws IOException {
        try (SeamStand stand = stand()) {
            int asked = seenByOther() + 1;
            answersAfter(asked, UNAVAILABLE);
            otherWaits(connection -> connection.write(RecordingBackend.OK));
            assertThat(stand.client().send(put(5, false)).response().bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(hedges(stand, "won")).isPositive();
        }
    }

    @Test
    void theLastFailureIsPassedOn() throws IOException {
        try (SeamStand stand = stand()) {
            int asked = seenByOther() + 1;
            answersAfter(asked, UNAVAILABLE);
            otherWaits(connection ->
                    connection.write("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\nno"));
            assertThat(stand.client().send(put(5, false)).response().status()).isEqualTo(500);
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
        }
    }

    // ---- what endpoints are held to

    /** An endpoint that is tried and does not answer is not tried again before its time. */
    @Test
    void aTryThatIsOvertakenDoesNotBringBack() throws IOException {
        try (SeamStand stand = stand(HEDGE, "accrual: {consecutive-failures: 1, back-off: 1s, max-ejected: 50}")) {
            slow.reply(UNAVAILABLE);
            assertThat(stand.get("/").status()).isEqualTo(503);
            Await.until("it is out", () -> stand.metric("remora_cluster_ejected") == 1);
            slow.onRequest(HedgeIT::readsOn);
            int before = slow.requests().size();
            Await.until("it is tried", () -> {
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                return slow.requests().size() > before;
            });
            for (int i = 0; i < 5; i++) {
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            }
            assertThat(slow.requests()).hasSize(before + 1);
        }
    }

    /** Who has not answered for so long does not work. */
    @Test
    void aFirstOneThatStaysSilentHasFailed() throws IOException {
        try (SeamStand stand = stand(HEDGE, "accrual: {consecutive-failures: 1, max-ejected: 50}")) {
            slow.onRequest(BackendConnection::readToEnd);
            other.onRequest(connection -> {
                connection.readRequest();
                Stand.pause(1_100);
                connection.write(RecordingBackend.OK);
            });
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(stand.metric("remora_cluster_ejected")).isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
        }
    }

    /** Nobody waits for one that is known to fail. */
    @Test
    void anEndpointOutOfUseGetsNoHedges() throws IOException {
        try (SeamStand stand =
                stand(HEDGE, "health-check: {path: /live, interval: 1s, timeout: 900ms, unhealthy-threshold: 1}")) {
            other.reply(UNAVAILABLE);
            slow.onRequest(connection -> {
                boolean check = connection.readRequest().target().equals("/live");
                Stand.pause(check ? 0 : 150);
                connection.write(RecordingBackend.OK);
            });
            Await.until("it is out", () -> stand.metric("remora_cluster_ejected") == 1);
            long before = made(stand) + hedges(stand, "refused");
            for (int i = 0; i < 3; i++) {
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            }
            stand.awaitIdle();
            assertThat(made(stand) + hedges(stand, "refused")).isEqualTo(before);
        }
    }

    /** A request that waited in vain waited for long. */
    @Test
    void whatFailsInVainIsLearned() throws IOException {
        try (SeamStand stand = stand(HEDGE + ", timeouts: {total: 1s}", "")) {
            slow.onRequest(BackendConnection::readToEnd);
            other.onRequest(BackendConnection::readToEnd);
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                clients.add(stand.client().send(SeamStand.GET));
            }
            for (RawClient client : clients) {
                assertThat(client.response().status()).isEqualTo(504);
            }
            stand.awaitIdle();
            slow.onRequest(HedgeIT::late);
            other.replyOk();
            long before = made(stand) + hedges(stand, "refused");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(made(stand) + hedges(stand, "refused")).isEqualTo(before);
        }
    }

    // ---- what is never sent twice

    /** Nothing is kept of it: what is held for the first one until it is connected cannot go to two. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void whatIsNotKeptIsNot(boolean chunked) throws IOException {
        try (SeamStand stand = stand(HEDGE + ", retries: {body: 0B}", "timeouts: {connect: 300ms}")) {
            long before = made(stand);
            int port = slow.port();
            slow.close();
            Await.until(
                    "nothing rests there",
                    () -> stand.metric("remora_backend_connections_idle", ":" + port + '"') == 0);
            try (DeafPort deaf = new DeafPort(port)) {
                assertThat(stand.client().send(put(5, chunked)).response().bodyText())
                        .isEqualTo("ok");
                assertThat(deaf.port()).isEqualTo(port);
            }
            stand.awaitIdle();
            assertThat(other.requests().get(other.requests().size() - 1).bodyText())
                    .isEqualTo("bbbbb");
            assertThat(made(stand)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @CsvSource({"POST", "PATCH"})
    void whatIsNotIdempotentIsNot(String method) throws IOException {
        try (SeamStand stand = stand()) {
            long before = made(stand) + seenByOther();
            slow.onRequest(HedgeIT::late);
            String request = method + " / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";
            assertThat(stand.client().send(request).response().bodyText()).isEqualTo("ok");
            assertThat(stand.client()
                            .send("PUT / HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx")
                            .response()
                            .bodyText())
                    .isEqualTo("ok");
            stand.awaitIdle();
            assertThat(made(stand) + seenByOther()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void whatIsLargerThanIsKeptIsNot(boolean chunked) throws IOException {
        try (SeamStand stand = stand()) {
            long before = made(stand) + seenByOther();
            slow.onRequest(HedgeIT::late);
            assertThat(stand.client().send(put(KEPT + 1, chunked)).response().bodyText())
                    .isEqualTo("ok");
            stand.awaitIdle();
            assertThat(made(stand) + seenByOther()).isEqualTo(before);
        }
    }

    /** Its client is the slow one. */
    @Test
    void whatIsStillComingIsNot() throws IOException {
        try (SeamStand stand = stand()) {
            long before = made(stand) + seenByOther();
            RawClient client = stand.client();
            client.send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhell");
            Stand.pause(100);
            assertThat(client.send("o").response().bodyText()).isEqualTo("ok");
            assertThat(made(stand) + seenByOther()).isEqualTo(before);
        }
    }

    @Test
    void whatHasBegunToBeAnsweredIsNot() throws IOException {
        try (SeamStand stand = stand()) {
            long before = made(stand) + seenByOther();
            slow.onRequest(connection -> {
                connection.readRequest();
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
                Stand.pause(100);
                connection.write("ok");
            });
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            slow.onRequest(connection -> {
                connection.readRequest();
                connection.write("HTTP/1.1 103 Early Hints\r\n\r\n");
                Stand.pause(100);
                connection.write(RecordingBackend.OK);
            });
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(made(stand) + seenByOther()).isEqualTo(before);
        }
    }

    // ---- bounds

    @Test
    void nothingGoesBeyondTheBudget() throws IOException {
        try (SeamStand stand = stand(HEDGE, "breakers: {retries: 1}")) {
            slow.onRequest(BackendConnection::readToEnd);
            other.onRequest(BackendConnection::readToEnd);
            int before = seenByOther();
            RawClient one = stand.client().send(SeamStand.GET);
            Await.until("one is sent twice", () -> seenByOther() > before);
            RawClient two = stand.client().send(SeamStand.GET);
            Await.until("the other is not", () -> hedges(stand, "refused") == 1);
            one.reset();
            two.reset();
            stand.awaitIdle();
            assertThat(stand.metric("remora_cluster_retries_total")).isZero();
        }
    }

    @Test
    void theMemoryOfBothIsReserved() throws IOException {
        try (SeamStand stand = stand()) {
            slow.onRequest(BackendConnection::readToEnd);
            other.onRequest(BackendConnection::readToEnd);
            String reserved = "remora_memory_reserved_bytes";
            long none = stand.metric(reserved);
            RawClient one = RawClient.connect(stand.address())
                    .send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n");
            Await.until("it is sent", () -> stand.metric("remora_backend_exchanges_in_flight") == 1);
            long alone = stand.metric(reserved) - none;
            one.reset();
            Await.until("nothing is left", () -> stand.metric(reserved) == none);
            RawClient two = RawClient.connect(stand.address()).send(SeamStand.GET);
            Await.until("it is sent twice", () -> stand.metric("remora_backend_exchanges_in_flight") == 2);
            assertThat(stand.metric(reserved) - none).isGreaterThan(alone + 4 * LoopBudget.LEAST);
            two.reset();
            Await.until("nothing is left", () -> stand.metric(reserved) == none);
        }
    }

    @Test
    void theDeadlineHoldsForBoth() throws IOException {
        try (SeamStand stand = stand()) {
            slow.onRequest(BackendConnection::readToEnd);
            other.onRequest(BackendConnection::readToEnd);
            RawClient client = stand.client();
            client.send("GET / HTTP/1.1\r\nHost: app\r\nl5d-timeout: 300\r\n\r\n");
            assertThat(client.response().field("Remora-Error")).isEqualTo("caller-deadline");
            stand.awaitIdle();
            Await.until("both are cancelled", () -> slow.openConnections() + other.openConnections() == 0);
            assertThat(hedges(stand, "lost")).isPositive();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
        }
    }

    @Test
    void aClientThatLeavesCancelsBoth() throws IOException {
        try (SeamStand stand = stand()) {
            slow.onRequest(BackendConnection::readToEnd);
            other.onRequest(BackendConnection::readToEnd);
            int before = seenByOther();
            RawClient client = stand.client().send(SeamStand.GET);
            Await.until("it is sent twice", () -> seenByOther() > before);
            client.reset();
            stand.awaitIdle();
            Await.until("both are cancelled", () -> slow.openConnections() + other.openConnections() == 0);
            assertThat(hedges(stand, "lost")).isPositive();
            assertThat(stand.failures("client-gone")).isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
        }
    }

    @Test
    void nobodyIsSlowWhereNobodyIsKnown() throws IOException {
        slow.onRequest(HedgeIT::late);
        try (SeamStand stand =
                SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", routes: [{cluster: app, hedge: {}}]}
                clusters:
                  app: {balancer: round-robin, endpoints: ["127.0.0.1:FIRST", "127.0.0.1:SECOND"]}
                """.replace("FIRST", Integer.toString(slow.port()))
                        .replace("SECOND", Integer.toString(other.port()))))) {
            for (int i = 0; i < 6; i++) {
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            }
            assertThat(slow.requests()).hasSize(3);
            assertThat(other.requests()).hasSize(3);
            assertThat(made(stand)).isZero();
        }
    }
}
