package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.DeadPort;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Endpoints that fail are passed over until they are well, and clusters are not given more than they may have. */
@EveryEngine
final class EjectionIT {
    private static final String ERROR = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";

    private static final String IN_TURN = "balancer: round-robin\n";

    private final RecordingBackend bad = RecordingBackend.start();
    private final RecordingBackend good = RecordingBackend.start();

    @AfterEach
    void close() {
        bad.close();
        good.close();
    }

    /** The endpoints get requests in turn, so that what each of them is asked is known. */
    private static SeamStand stand(String cluster, int... ports) {
        return SeamStand.start(new Seams(), SeamStand.config("", IN_TURN + cluster, ports));
    }

    /** How many endpoints are out of use, as operators see it. */
    private static long ejected(SeamStand stand) {
        return stand.page("/clusters")
                .lines()
                .filter(line -> line.contains(" state=out "))
                .count();
    }

    /** How many of so many requests fail. */
    private static int failed(SeamStand stand, int requests) throws IOException {
        int failed = 0;
        RawClient client = stand.client();
        for (int i = 0; i < requests; i++) {
            failed += client.send(SeamStand.GET).response().status() == 200 ? 0 : 1;
        }
        return failed;
    }

    // ---- accrual

    @Test
    void fiveFailuresAreEnough() throws IOException {
        bad.reply(ERROR);
        try (SeamStand stand = stand("accrual: {back-off: 1h, max-back-off: 1h}", bad.port(), good.port())) {
            assertThat(failed(stand, 100)).isEqualTo(5);
            assertThat(bad.requests()).hasSize(5);
            assertThat(ejected(stand)).isOne();
        }
    }

    /** An endpoint may close a connection that rests, and a request that meets that says nothing of it. */
    @Test
    void aStaleConnectionIsNoFailure() throws IOException {
        closesWhatItHasServed();
        try (SeamStand stand = stand("accrual: {consecutive-failures: 1}", bad.port(), good.port())) {
            assertThat(failed(stand, 20)).isZero();
            stand.awaitIdle();
            assertThat(stand.retries()).isPositive();
            assertThat(ejected(stand)).isZero();
        }
    }

    @Test
    void aStaleConnectionIsAnOutcomeOfItsOwn() throws IOException {
        closesWhatItHasServed();
        try (SeamStand stand = stand("", bad.port())) {
            assertThat(failed(stand, 10)).isZero();
            stand.awaitIdle();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"ignored\""))
                    .isPositive()
                    .isEqualTo(stand.retries());
        }
    }

    /** At its second request, as one whose idle timeout runs out at that moment. */
    private void closesWhatItHasServed() {
        Set<Integer> used = ConcurrentHashMap.newKeySet();
        bad.onRequest(connection -> {
            connection.readRequest();
            if (used.add(connection.index())) {
                connection.write(RecordingBackend.OK);
            } else {
                connection.close();
            }
        });
    }

    /** A connection that the endpoint closes while it works on the request was not at rest. */
    @Test
    void anEndpointThatGivesUpOnAUsedConnectionFails() throws IOException {
        bad.onRequest(connection -> {
            if (connection.readRequest().method().equals("GET")) {
                connection.write(RecordingBackend.OK);
            } else {
                LockSupport.parkNanos(500_000_000L);
                connection.close();
            }
        });
        String accrual = "accrual: {consecutive-failures: 1, back-off: 1h, max-back-off: 1h}";
        try (SeamStand stand = stand(accrual, bad.port(), good.port())) {
            assertThat(failed(stand, 2)).isZero();
            String post = SeamStand.GET.replace("GET", "POST");
            RawClient client = stand.client();
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                statuses.add(client.send(post).response().status());
            }
            assertThat(statuses).containsExactlyInAnyOrder(200, 502);
            assertThat(bad.connections()).as("it was a used one").hasSize(1);
            stand.awaitIdle();
            assertThat(ejected(stand)).isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
        }
    }

    /** The request may be sent again, which does not mend what the endpoint did. */
    @Test
    void anEndpointThatGivesUpOnAUsedConnectionFailsThoughTheRequestIsSentAgain() throws IOException {
        Set<Integer> used = ConcurrentHashMap.newKeySet();
        bad.onRequest(connection -> {
            connection.readRequest();
            if (used.add(connection.index())) {
                connection.write(RecordingBackend.OK);
            } else {
                LockSupport.parkNanos(500_000_000L);
                connection.close();
            }
        });
        String accrual = "accrual: {consecutive-failures: 1, back-off: 1h, max-back-off: 1h}";
        try (SeamStand stand = stand(accrual, bad.port(), good.port())) {
            assertThat(failed(stand, 4)).isZero();
            stand.awaitIdle();
            assertThat(stand.retries()).isOne();
            assertThat(ejected(stand)).isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isOne();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"ignored\""))
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void theLoopsShareWhatTheyKnow(int workers) throws IOException {
        bad.reply(ERROR);
        ProxyConfig one =
                SeamStand.config("", IN_TURN + "accrual: {back-off: 1h, max-back-off: 1h}", bad.port(), good.port());
        ProxyConfig config = new ProxyConfig(
                workers,
                one.engine(),
                one.drainTimeoutNs(),
                one.drainIdleNs(),
                one.logLevel(),
                one.watchdogLiveNs(),
                one.admin(),
                one.listeners(),
                one.clusters(),
                one.options());
        try (SeamStand stand = SeamStand.start(new Seams(), config)) {
            int failed = 0;
            for (int i = 0; i < 100; i++) {
                failed += stand.get("/").status() == 200 ? 0 : 1;
            }
            // a response is on its way to the client before the endpoint's state learns of it
            assertThat(failed).as("failures on all loops").isBetween(5, 6);
        }
    }

    @Test
    void aDeadEndpointIsTriedByOneRequestAtATime() throws IOException {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = stand("accrual: {back-off: 50ms, max-back-off: 1h}", dead.port(), good.port())) {
            assertThat(failed(stand, 40)).isZero();
            assertThat(ejected(stand)).isOne();
            long tried = stand.metric("remora_backend_connect_failures_total");
            assertThat(tried).as("connects until it is out").isBetween(5L, 10L);
        }
    }

    @Test
    void comesBackWhenItIsWell() throws IOException {
        bad.reply(ERROR);
        try (SeamStand stand = stand("accrual: {back-off: 30ms, max-back-off: 100ms}", bad.port(), good.port())) {
            awaitOut(stand);
            bad.replyOk();
            Await.until("it is back", () -> {
                stand.get("/");
                return ejected(stand) == 0;
            });
            assertThat(failed(stand, 20)).isZero();
        }
    }

    /** The head of its response is enough: a download may last for hours. */
    @Test
    void comesBackByARequestThatIsNotOver() throws IOException {
        bad.reply(ERROR);
        try (SeamStand stand = stand("accrual: {back-off: 30ms, max-back-off: 100ms}", bad.port(), good.port())) {
            awaitOut(stand);
            AtomicInteger underWay = new AtomicInteger();
            bad.onRequest(connection -> {
                connection.readHead();
                underWay.incrementAndGet();
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
                connection.readToEnd();
            });
            List<RawClient> begun = new ArrayList<>();
            Await.until("it is back", () -> {
                begun.add(begin(stand.client()));
                // the second one shows that it is not only tried
                return underWay.get() > 1 && ejected(stand) == 0;
            });
            for (RawClient client : begun) {
                client.reset();
            }
        }
    }

    /** It is tried again after a short time, and while that lasts not every engine calls it out of use. */
    private static void awaitOut(SeamStand stand) {
        Await.until("it is out", () -> {
            stand.get("/");
            return ejected(stand) == 1;
        });
    }

    private static RawClient begin(RawClient client) {
        try {
            return client.send(SeamStand.GET);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void thePageOfClustersTellsWhy() throws IOException {
        bad.reply(ERROR);
        try (SeamStand stand = stand("accrual: {back-off: 1h, max-back-off: 1h}", bad.port(), good.port())) {
            assertThat(stand.page("/clusters"))
                    .containsPattern(":" + bad.port() + " .* state=in-use reason=- for_s=-1 returns_in_s=-1\n");
            failed(stand, 20);
            Await.until("it is out", () -> ejected(stand) == 1);
            assertThat(stand.metric("remora_cluster_ejected")).isOne();
            assertThat(stand.metric("remora_cluster_ejections_total", "\"consecutive\""))
                    .isOne();
            assertThat(stand.page("/clusters"))
                    .containsPattern(":" + bad.port()
                            + " .* priority=0 state=out reason=consecutive for_s=\\d+ returns_in_s=[34]\\d\\d\\d\n")
                    .containsPattern(":" + good.port() + " .* state=in-use reason=- for_s=-1 returns_in_s=-1\n");
            assertThat(stand.page("/clusters?format=json"))
                    .containsPattern("\"priority\":0,\"state\":\"out\",\"reason\":\"consecutive\",\"for_s\":\\d+,"
                            + "\"returns_in_s\":[34]\\d\\d\\d}")
                    .contains("\"state\":\"in-use\",\"reason\":\"\",\"for_s\":-1,\"returns_in_s\":-1}");
        }
    }

    @Test
    void thePageOfClustersTellsTheLatencyThatTheBalancerKnows() throws IOException {
        good.onRequest(connection -> {
            connection.readRequest();
            LockSupport.parkNanos(20_000_000L);
            connection.write(RecordingBackend.OK);
        });
        ProxyConfig config = SeamStand.config("", "balancer: peak-ewma", good.port());
        try (SeamStand stand = SeamStand.start(new Seams(), config)) {
            assertThat(stand.page("/clusters")).endsWith(" priority=0 latency_us=0\n");
            failed(stand, 1);
            // the slower of two counts, so that it is at least as long as the one
            Await.until("learnt", () -> stand.page("/clusters").matches("(?s).* latency_us=[1-9]\\d{4,}\n"));
            assertThat(stand.page("/clusters")).doesNotContain("reason=");
        }
    }

    @Test
    void theOtherOneStaysWhereBothFail() throws IOException {
        bad.reply(ERROR);
        good.reply(ERROR);
        try (SeamStand stand = stand("accrual: {back-off: 1h, max-back-off: 1h}", bad.port(), good.port())) {
            assertThat(failed(stand, 40)).isEqualTo(40);
            assertThat(ejected(stand)).as("one stays in use").isOne();
        }
    }

    @Test
    void neitherDeadlinesOfCallersNorTheirAbsenceCount() throws IOException {
        bad.onRequest(BackendConnection::readToEnd);
        good.onRequest(BackendConnection::readToEnd);
        ProxyConfig config = SeamStand.config(
                "timeouts: {caller-header: X-Wait}",
                IN_TURN + "accrual: {consecutive-failures: 2}",
                bad.port(),
                good.port());
        try (SeamStand stand = SeamStand.start(new Seams(), config)) {
            for (int i = 0; i < 4; i++) {
                int gone = i + 1;
                RawClient client = stand.client();
                client.send(SeamStand.GET);
                Await.until("it is there", () -> stand.metric("remora_backend_exchanges_in_flight") == 1);
                client.reset();
                Await.until("noticed", () -> stand.failures("client-gone") == gone);
            }
            for (int i = 0; i < 4; i++) {
                RawResponse response = stand.client()
                        .send("GET / HTTP/1.1\r\nHost: app\r\nX-Wait: 200ms\r\n\r\n")
                        .response();
                assertThat(response.field("Remora-Error")).isEqualTo("caller-deadline");
            }
            assertThat(ejected(stand)).isZero();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"ignored\""))
                    .isEqualTo(8);
        }
    }

    // ---- checks

    @ParameterizedTest
    @ValueSource(strings = {"", "path: /live, "})
    void anEndpointThatIsDownIsPassedOver(String how) throws IOException {
        int port = bad.port();
        bad.close();
        String check = "health-check: {" + how + "interval: 300ms, timeout: 250ms}";
        try (SeamStand stand = stand(check, port, good.port())) {
            Await.until("it is out", () -> ejected(stand) == 1);
            assertThat(failed(stand, 20)).isZero();
            assertThat(stand.repicks()).isZero();
            try (RecordingBackend again = RecordingBackend.startAt(port)) {
                Await.until("it is back", () -> ejected(stand) == 0);
                assertThat(failed(stand, 20)).isZero();
                Await.until(
                        "it serves",
                        () -> stand.get("/").status() == 200
                                && again.connections().size() > 0);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"500", "silence", "nonsense"})
    void anEndpointThatAnswersWronglyIsPassedOver(String how) throws IOException {
        bad.onRequest(connection -> {
            String path = connection.readRequest().target();
            if (!path.equals("/live")) {
                connection.write(RecordingBackend.OK);
            } else if (how.equals("500")) {
                connection.write(ERROR);
            } else if (how.equals("nonsense")) {
                connection.write("no\r\n\r\n");
            } else {
                connection.readToEnd();
            }
        });
        String check = "health-check: {path: /live, host: app.test, interval: 600ms, timeout: 500ms}";
        try (SeamStand stand = stand(check, bad.port(), good.port())) {
            Await.until("it is out", () -> ejected(stand) == 1);
            assertThat(bad.requests().get(0).field("Host")).isEqualTo("app.test");
            int before = good.requests().size();
            assertThat(failed(stand, 10)).isZero();
            assertThat(good.requests().stream().skip(before).filter(seen -> seen.target()
                            .equals("/")))
                    .hasSize(10);
            bad.replyOk();
            Await.until("it is back", () -> ejected(stand) == 0);
            assertThat(stand.metric("remora_exchanges_started_total"))
                    .as("checks are no exchanges")
                    .isEqualTo(10);
        }
    }

    /** All are out, and all are used. */
    @Test
    void aCheckThatFailsEverywhereTakesNothingDown() throws IOException {
        bad.onRequest(connection ->
                connection.write(connection.readRequest().target().equals("/") ? RecordingBackend.OK : ERROR));
        try (SeamStand stand = stand("health-check: {path: /live, interval: 300ms, timeout: 250ms}", bad.port())) {
            Await.until("it is out", () -> stand.metric("remora_cluster_ejected") == 1);
            assertThat(stand.metric("remora_cluster_panic")).isOne();
            assertThat(failed(stand, 10)).isZero();
        }
    }

    // ---- breakers

    @ParameterizedTest
    @ValueSource(strings = {"in-flight", "connections"})
    void whatIsTooMuchIsRefused(String bound) throws IOException {
        bad.onRequest(connection -> {
            connection.readRequest();
            connection.input().read();
        });
        try (SeamStand stand = stand("breakers: {" + bound + ": 1}\nretries: {}", bad.port())) {
            RawClient first = stand.client();
            first.send(SeamStand.GET);
            Await.until("it is there", () -> bad.connections().size() == 1);
            RawResponse refused = stand.get("/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.field("Remora-Error")).isEqualTo("breaker-" + bound);
            assertThat(refused.field("Retry-After")).isNotNull();
            Await.until("it is counted", () -> stand.failures("breaker-" + bound) == 1);
            bad.replyOk();
            first.reset();
            Await.until("there is room again", () -> stand.get("/").status() == 200);
        }
    }

    @Test
    void retriesInFlightAreBounded() throws IOException {
        bad.reply(ERROR.replace("500", "503"));
        try (SeamStand stand = stand("breakers: {retries: 1}\nretries: {attempts: 2, back-off: 1h}", bad.port())) {
            RawClient first = stand.client();
            first.send(SeamStand.GET);
            Await.until("a retry is due", () -> stand.page("/metrics")
                    .contains("_retries_total{cluster=\"app\",reason=\"status\"} 1"));
            assertThat(stand.get("/").status()).isEqualTo(503);
            assertThat(stand.metric("remora_cluster_retries_refused_total", "\"breaker\""))
                    .isOne();
            first.reset();
            Await.until("noticed", () -> stand.failures("client-gone") == 1);
        }
    }
}
