package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.ClientLoad;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.DeadPort;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a route with retries sends again, where to, and what it never does. */
@EveryEngine
final class RetryPolicyIT {
    private static final String RETRIES = "retries: {back-off: 1ms}";
    private static final String UNAVAILABLE = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno";
    private static final int KEPT = 64 << 10;

    /** The endpoints get requests in turn, so that each of them is met. */
    private static final String IN_TURN = "balancer: round-robin\n";

    private final RecordingBackend bad = RecordingBackend.start();
    private final RecordingBackend good = RecordingBackend.start();

    @AfterEach
    void close() {
        bad.close();
        good.close();
    }

    private static SeamStand stand(String cluster, int... ports) {
        return SeamStand.start(new Seams(), SeamStand.config("", IN_TURN + cluster, ports));
    }

    private SeamStand stand(String cluster) {
        return stand(cluster, bad.port(), good.port());
    }

    /** With one route that has these keys. */
    private static SeamStand routed(String route, String cluster, int... ports) {
        StringBuilder endpoints = new StringBuilder();
        for (int port : ports) {
            endpoints
                    .append(endpoints.isEmpty() ? "" : ", ")
                    .append("\"127.0.0.1:")
                    .append(port)
                    .append('"');
        }
        return SeamStand.start(
                new Seams(),
                SeamStand.config("listeners:\n  - name: test\n    address: \"127.0.0.1:0\"\n"
                        + "    timeouts: {caller-header: l5d-timeout}\n    routes:\n      - {cluster: app, " + route
                        + "}\nclusters:\n  app:\n    endpoints: [" + endpoints + "]\n"
                        + (IN_TURN + cluster).indent(4)));
    }

    private static String request(String method, int bodyBytes, boolean chunked) {
        String body = "b".repeat(bodyBytes);
        String head = method + " / HTTP/1.1\r\nHost: app\r\n";
        if (bodyBytes == 0) {
            return head + "\r\n";
        }
        return chunked
                ? head + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(bodyBytes) + "\r\n" + body
                        + "\r\n0\r\n\r\n"
                : head + "Content-Length: " + bodyBytes + "\r\n\r\n" + body;
    }

    private static void resetAfterRequest(BackendConnection connection) throws IOException {
        connection.readRequest();
        connection.reset();
    }

    private static long retries(SeamStand stand, String reason) {
        return stand.metric("remora_cluster_retries_total", '"' + reason + '"');
    }

    private static long refused(SeamStand stand, String reason) {
        return stand.metric("remora_cluster_retries_refused_total", '"' + reason + '"');
    }

    /** So many requests, each on the same connection and answered with 200. */
    private static void served(SeamStand stand, String request, int times) throws IOException {
        RawClient client = stand.client();
        for (int i = 0; i < times; i++) {
            RawResponse response = client.send(request).response();
            assertThat(response.status()).as(response.toString()).isEqualTo(200);
            assertThat(response.bodyText()).isEqualTo("ok");
        }
        stand.awaitIdle();
        assertThat(stand.metric("remora_memory_heads_bytes")).as("held").isZero();
    }

    // ---- what is sent again

    @ParameterizedTest
    @CsvSource({"GET, 0, false", "PUT, 5, false", "PUT, 5, true", "DELETE, 65536, false", "PUT, 65536, true"})
    void aStatusLeadsToAnotherEndpoint(String method, int bodyBytes, boolean chunked) throws IOException {
        bad.reply(UNAVAILABLE);
        try (SeamStand stand = stand(RETRIES)) {
            served(stand, request(method, bodyBytes, chunked), 6);
            assertThat(bad.requests()).isNotEmpty();
            assertThat(good.requests()).hasSize(6);
            assertThat(retries(stand, "status")).isEqualTo(bad.requests().size());
            for (RawRequest seen : good.requests()) {
                assertThat(seen.bodyText()).isEqualTo("b".repeat(bodyBytes));
            }
            assertThat(stand.failures()).isZero();
            assertThat(stand.retries()).isZero();
        }
    }

    /** A short rest of a response that has come with its head is read past; what is long, unfinished or followed by more ends the connection. */
    @ParameterizedTest
    @CsvSource({
        "'Content-Length: 2\r\n\r\nno', true",
        "'Content-Length: 0\r\n\r\n', true",
        "'Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\nX-Sum: 1\r\n\r\n', true",
        "'Content-Length: 2\r\n\r\nnoHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil', false",
        "'Transfer-Encoding: chunked\r\n\r\n2\r\nnoevil\r\n', false",
        "'Content-Length: 2\r\nConnection: close\r\n\r\nno', false",
        "'Content-Length: 9\r\n\r\nno', false",
    })
    void aDroppedResponsesConnectionServesAgainIfItsRestIsShort(String rest, boolean kept) throws IOException {
        bad.reply("HTTP/1.1 503 Service Unavailable\r\n" + rest.translateEscapes());
        try (SeamStand stand = stand(RETRIES)) {
            served(stand, request("GET", 0, false), 6);
            assertThat(bad.requests()).hasSizeGreaterThan(1);
            assertThat(bad.connections()).hasSize(kept ? 1 : bad.requests().size());
            if (!kept) {
                Await.until("they are closed", () -> bad.openConnections() == 0);
            }
        }
    }

    @Test
    void aLongDroppedResponseEndsItsConnection() throws IOException {
        bad.reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 200000\r\n\r\n" + "n".repeat(200_000));
        try (SeamStand stand = stand(RETRIES)) {
            served(stand, request("GET", 0, false), 6);
            assertThat(bad.connections()).hasSize(bad.requests().size());
            Await.until("they are closed", () -> bad.openConnections() == 0);
        }
    }

    /** The connection of what was dropped takes no place from the next attempt, whether or not its rest has come. */
    @ParameterizedTest
    @ValueSource(strings = {"no", "n"})
    void aDroppedResponseHoldsNoPlace(String rest) throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        bad.onRequest(connection -> {
            connection.readRequest();
            if (asked.incrementAndGet() > 1) {
                connection.write(RecordingBackend.OK);
                return;
            }
            connection.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n" + rest);
            if (rest.length() < 2) {
                Stand.await(over);
            }
        });
        try (SeamStand stand = stand(RETRIES + "\nmax-connections: 1\nbreakers: {connections: 1}", bad.port())) {
            served(stand, request("GET", 0, false), 3);
            assertThat(asked).hasValue(4);
            assertThat(bad.connections()).hasSize(rest.length() < 2 ? 2 : 1);
            assertThat(retries(stand, "status")).isEqualTo(1);
        } finally {
            over.countDown();
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, 0, false", "PUT, 5, false", "PUT, 5000, true"})
    void aResetBeforeTheResponseLeadsToAnotherEndpoint(String method, int bodyBytes, boolean chunked)
            throws IOException {
        bad.onRequest(RetryPolicyIT::resetAfterRequest);
        try (SeamStand stand = stand(RETRIES)) {
            served(stand, request(method, bodyBytes, chunked), 6);
            assertThat(good.requests()).hasSize(6);
            assertThat(retries(stand, "reset"))
                    .isPositive()
                    .isEqualTo(bad.requests().size());
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void aTryThatTakesTooLongLeadsToAnotherEndpoint() throws IOException {
        bad.onRequest(BackendConnection::readToEnd);
        try (SeamStand stand =
                routed("timeouts: {try: 400ms}, retries: {back-off: 1ms}", "", bad.port(), good.port())) {
            served(stand, request("PUT", 5, false), 4);
            assertThat(good.requests()).hasSize(4);
            assertThat(retries(stand, "timeout")).isPositive();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isEqualTo(retries(stand, "timeout"));
        }
    }

    /** Beyond the one re-pick, which is counted apart. */
    @Test
    void twoDeadEndpointsLeadToTheThird() throws IOException {
        try (DeadPort dead = new DeadPort();
                DeadPort alsoDead = new DeadPort();
                SeamStand stand =
                        stand("retries: {back-off: 1ms, attempts: 10}", dead.port(), alsoDead.port(), good.port())) {
            served(stand, request("POST", 5, false), 6);
            assertThat(good.requests()).hasSize(6);
            assertThat(stand.repicks()).isPositive();
        }
    }

    /** What has come of a body by then is sent again, and the rest behind it. */
    @Test
    void aBodyThatIsStillComingIsSentWhole() throws IOException {
        bad.onRequest(connection -> {
            if (connection.index() > 0) {
                connection.readRequest();
                connection.write(RecordingBackend.OK);
                return;
            }
            connection.readHead();
            assertThat(connection.input().read()).isEqualTo('a');
            connection.reset();
        });
        try (SeamStand stand = stand(RETRIES, bad.port())) {
            RawClient client = stand.client();
            client.send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 6\r\n\r\na");
            Await.until("it is sent again", () -> bad.connections().size() == 2);
            client.send("bcdef");
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(retries(stand, "reset")).isOne();
            assertThat(bad.connections().get(1).received()).asString().endsWith("\r\n\r\nabcdef");
        }
    }

    // ---- what is not

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "PURGE"})
    void whatIsNotIdempotentIsNeverSentTwice(String method) throws IOException {
        bad.onRequest(RetryPolicyIT::resetAfterRequest);
        try (SeamStand stand = stand(RETRIES, bad.port(), good.port())) {
            int failed = 0;
            for (int i = 0; i < 6; i++) {
                try (RawClient client = RawClient.connect(stand.address())) {
                    failed += client.send(request(method, 5, false)).response().status() == 502 ? 1 : 0;
                }
            }
            stand.awaitIdle();
            assertThat(failed).isPositive().isEqualTo(bad.requests().size());
            assertThat(bad.requests().size() + good.requests().size()).isEqualTo(6);
            assertThat(stand.metric("remora_cluster_retries_total")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"503", "reset"})
    void aPostIsNotSentAgainForAStatusEither(String how) throws IOException {
        if (how.equals("503")) {
            bad.reply(UNAVAILABLE);
        } else {
            bad.onRequest(RetryPolicyIT::resetAfterRequest);
        }
        try (SeamStand stand = stand(RETRIES, bad.port())) {
            RawResponse response = stand.client().send(request("POST", 5, true)).response();
            assertThat(response.status()).isEqualTo(how.equals("503") ? 503 : 502);
            assertThat(bad.requests()).hasSize(1);
        }
    }

    @Test
    void whatExpectsToBeToldToGoOnIsSentOnce() throws IOException {
        bad.reply(UNAVAILABLE);
        try (SeamStand stand = stand(RETRIES, bad.port())) {
            RawClient client = stand.client();
            client.send("PUT / HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx");
            assertThat(client.response().status()).isEqualTo(503);
            assertThat(bad.requests()).hasSize(1);
        }
    }

    @Test
    void nothingFollowsAnInterimResponse() throws IOException {
        bad.reply("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + UNAVAILABLE);
        try (SeamStand stand = stand(RETRIES, bad.port())) {
            assertThat(stand.get("/").status()).isEqualTo(503);
            assertThat(bad.requests()).hasSize(1);
        }
    }

    @Test
    void nothingFollowsOnceTheResponseHasBegun() throws IOException {
        bad.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
            connection.reset();
        });
        try (SeamStand stand = stand(RETRIES, bad.port())) {
            RawClient client = stand.client();
            client.send(SeamStand.GET);
            assertThat(client.responseHead().status()).isEqualTo(200);
            Await.until("cut", () -> stand.failures("backend-closed") == 1);
            assertThat(bad.requests()).hasSize(1);
            assertThat(stand.metric("remora_cluster_retries_total")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBodyBeyondTheBoundIsNotSentAgain(boolean chunked) throws IOException {
        bad.onRequest(RetryPolicyIT::resetAfterRequest);
        try (SeamStand stand = stand(RETRIES, bad.port())) {
            RawClient client = stand.client();
            assertThat(client.send(request("PUT", KEPT + 1, chunked)).response().status())
                    .isEqualTo(502);
            stand.awaitIdle();
            assertThat(bad.requests()).hasSize(1);
            assertThat(refused(stand, "body")).isOne();
            assertThat(stand.metric("remora_memory_heads_bytes")).isZero();
        }
    }

    /** What comes while an attempt is due may be too much, and then no endpoint sees a part of it. */
    @Test
    void aBodyThatOutgrowsTheBoundMeanwhileIsNotSentAgain() throws IOException {
        bad.onRequest(connection -> {
            connection.readHead();
            for (int i = 0; i < KEPT; i++) {
                connection.input().read();
            }
            connection.write(UNAVAILABLE.replace("\r\n\r\n", "\r\nRetry-After: 1\r\n\r\n"));
            connection.readToEnd();
        });
        try (SeamStand stand = routed("timeouts: {total: 1h}, retries: {}", "", bad.port())) {
            RawClient client = stand.client();
            client.send(
                    "PUT / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" + "b".repeat(KEPT));
            Await.until(
                    "a retry is due",
                    () -> stand.page("/metrics").contains("remora_cluster_retries_total")
                            && retries(stand, "status") == 1);
            client.send("\r\n1\r\nb\r\n0\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(502);
            stand.awaitIdle();
            assertThat(bad.connections()).hasSize(1);
            assertThat(stand.metric("remora_memory_heads_bytes")).isZero();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
        }
    }

    @Test
    void aLowerBoundHolds() throws IOException {
        bad.reply(UNAVAILABLE);
        try (SeamStand stand = stand("retries: {back-off: 1ms, body: 4B}", bad.port())) {
            assertThat(stand.client().send(request("PUT", 5, false)).response().status())
                    .isEqualTo(503);
            assertThat(bad.requests()).hasSize(1);
            assertThat(stand.client().send(request("PUT", 4, false)).response().status())
                    .isEqualTo(503);
            assertThat(bad.requests()).hasSize(1 + 3);
        }
    }

    @Test
    void theLastResponseIsPassedOn() throws IOException {
        bad.reply(UNAVAILABLE);
        try (SeamStand stand = stand("retries: {back-off: 1ms, attempts: 4}", bad.port())) {
            RawResponse response = stand.get("/");
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.bodyText()).isEqualTo("no");
            assertThat(response.fields().has("Remora-Error")).isFalse();
            assertThat(bad.requests()).hasSize(4);
        }
    }

    @Test
    void aRouteMayHaveNone() throws IOException {
        bad.reply(UNAVAILABLE);
        try (SeamStand stand = routed("retries: off", RETRIES, bad.port())) {
            assertThat(stand.get("/").status()).isEqualTo(503);
            assertThat(bad.requests()).hasSize(1);
            assertThat(stand.page("/metrics")).doesNotContain("remora_cluster_");
        }
    }

    // ---- whose time a back-off is

    private static double seconds(SeamStand stand, String metric) {
        for (String line : stand.page("/metrics").split("\n")) {
            if (line.startsWith(metric + "_sum{")) {
                return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        throw new AssertionError("no " + metric);
    }

    /** Neither the proxy's nor the backend's. */
    @Test
    void aBackOffIsNobodysTime() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        bad.onRequest(connection -> {
            connection.readRequest();
            boolean first = asked.getAndIncrement() == 0;
            connection.write(
                    first ? UNAVAILABLE.replace("\r\n\r\n", "\r\nRetry-After: 1\r\n\r\n") : RecordingBackend.OK);
        });
        try (SeamStand stand = routed("timeouts: {total: 8s}, retries: {}", "", bad.port())) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            stand.awaitIdle();
            assertThat(seconds(stand, "remora_total_time_seconds")).isGreaterThan(0.95);
            assertThat(seconds(stand, "remora_proxy_time_seconds")).isLessThan(0.5);
            assertThat(seconds(stand, "remora_backend_time_seconds")).isLessThan(0.5);
        }
    }

    @Test
    void aBackOffWhereNobodyCouldBeReachedIsNobodysTimeEither() throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = stand("retries: {back-off: 1s, attempts: 3}", dead.port())) {
            for (int i = 0; i < 4; i++) {
                assertThat(stand.get("/").status()).isEqualTo(502);
            }
            stand.awaitIdle();
            double total = seconds(stand, "remora_total_time_seconds");
            assertThat(seconds(stand, "remora_proxy_time_seconds")).isLessThan(Math.max(0.5, total / 4));
        }
    }

    // ---- Retry-After

    @Test
    void waitsAsLongAsItIsAskedTo() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        bad.onRequest(connection -> {
            connection.readRequest();
            boolean first = asked.getAndIncrement() == 0;
            connection.write(
                    first ? UNAVAILABLE.replace("\r\n\r\n", "\r\nRetry-After: 1\r\n\r\n") : RecordingBackend.OK);
        });
        try (SeamStand stand = routed("timeouts: {total: 8s}, retries: {}", "", bad.port())) {
            long startedNs = System.nanoTime();
            assertThat(stand.get("/").status()).isEqualTo(200);
            assertThat(System.nanoTime() - startedNs).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"9", "Fri, 31 Dec 1999 23:59:59 GMT", "-1", "99999999999999999999"})
    void passesOnWhatAsksToWaitForTooLong(String seconds) throws IOException {
        bad.reply(UNAVAILABLE.replace("\r\n\r\n", "\r\nRetry-After: " + seconds + "\r\n\r\n"));
        try (SeamStand stand = routed("timeouts: {total: 8s}, retries: {}", "", bad.port())) {
            assertThat(stand.get("/").status()).isEqualTo(503);
            assertThat(bad.requests()).hasSize(1);
            assertThat(refused(stand, "deadline")).isOne();
        }
    }

    // ---- bounds

    /** A client that leaves while the next attempt is due takes it along. */
    @Test
    void nothingFollowsAClientThatHasLeft() throws IOException {
        bad.reply(UNAVAILABLE);
        try (SeamStand stand = stand("retries: {back-off: 1h, attempts: 2}", bad.port())) {
            RawClient client = stand.client();
            client.send(request("PUT", 5, false));
            Await.until(
                    "a retry is due",
                    () -> stand.page("/metrics").contains("remora_cluster_retries_total")
                            && retries(stand, "status") == 1);
            client.reset();
            Await.until("noticed", () -> stand.failures("client-gone") == 1);
            stand.awaitIdle();
            assertThat(bad.requests()).hasSize(1);
            assertThat(stand.metric("remora_memory_heads_bytes")).isZero();
        }
    }

    @Test
    void aFailingClusterIsNotFlooded() throws IOException {
        bad.reply(UNAVAILABLE);
        good.reply(UNAVAILABLE);
        try (SeamStand stand = stand("retries: {back-off: 1ms, attempts: 10}")) {
            long startedNs = System.nanoTime();
            int requests = 0;
            RawClient client = stand.client();
            while (System.nanoTime() - startedNs < TimeUnit.SECONDS.toNanos(3)) {
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(503);
                requests++;
            }
            double seconds = Math.ceil((System.nanoTime() - startedNs) / 1e9);
            stand.awaitIdle();
            int attempts = bad.requests().size() + good.requests().size();
            assertThat((double) attempts).isLessThanOrEqualTo(1.2 * requests + 10 * seconds);
            assertThat(refused(stand, "budget")).isPositive();
            assertThat(attempts - requests)
                    .isEqualTo((int) retries(stand, "status"))
                    .isPositive();
        }
    }

    /** One of three is killed in the middle of it. */
    @Test
    void aKilledBackendFailsNoIdempotentRequest() throws InterruptedException {
        try (RecordingBackend third = RecordingBackend.start();
                SeamStand stand = stand("retries: {}", bad.port(), good.port(), third.port());
                ClientLoad load = new ClientLoad(stand, request("PUT", 5, false))) {
            Await.until("the load is on", () -> bad.connections().size() > 0);
            TimeUnit.MILLISECONDS.sleep(300);
            bad.close();
            TimeUnit.MILLISECONDS.sleep(300);
            load.assertAllServed();
            assertThat(stand.failures()).isZero();
        }
    }
}
