package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.DeadPort;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request of which nothing was written goes to another endpoint, once. */
@EveryEngine
final class RepickIT {
    private static final int REQUESTS = 20;

    private final RecordingBackend backend = RecordingBackend.start();
    private final DeadPort dead = new DeadPort();
    private final DeadPort alsoDead = new DeadPort();

    @AfterEach
    void close() {
        backend.close();
        dead.close();
        alsoDead.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                SeamStand.GET,
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            })
    void oneOfTwoIsDead(String request) throws IOException {
        try (SeamStand stand = inTurn(dead.port(), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < REQUESTS; i++) {
                RawResponse response = client.send(request).response();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests()).hasSize(REQUESTS);
            for (RawRequest seen : backend.requests()) {
                assertThat(seen.bodyText()).isEqualTo(request.startsWith("GET") ? "" : "hello");
            }
            stand.awaitIdle();
            assertThat(stand.repicks()).isPositive().isEqualTo(stand.metric("remora_backend_connect_failures_total"));
            assertThat(stand.retries()).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    /** What arrives of a body while the first endpoint refuses is not lost on the way to the second. */
    @Test
    void aLargeBodyGoesToTheOther() throws IOException {
        byte[] body = new byte[1 << 20];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) ('a' + i % 23);
        }
        try (SeamStand stand = inTurn(dead.port(), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 3; i++) {
                client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .send(body);
                assertThat(client.response().status()).isEqualTo(200);
            }
            assertThat(backend.requests()).hasSize(3).allSatisfy(seen -> assertThat(seen.body())
                    .isEqualTo(body));
            assertThat(stand.repicks()).isPositive();
        }
    }

    /** It has nothing under way, and answers at once in its way, and is nevertheless not preferred or met twice. */
    @ParameterizedTest
    @ValueSource(strings = {"least-loaded", "peak-ewma", "{ kind: aperture, size: 3 }"})
    void aDeadOneIsSeldomMetAndNeverAnswers(String balancer) throws IOException {
        try (RecordingBackend other = RecordingBackend.start();
                SeamStand stand = SeamStand.start(
                        new Seams(),
                        SeamStand.config("", "balancer: " + balancer, dead.port(), backend.port(), other.port()))) {
            RawClient client = stand.client();
            for (int i = 0; i < 300; i++) {
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            }
            assertThat(backend.requests().size() + other.requests().size()).isEqualTo(300);
            stand.awaitIdle();
            assertThat(stand.repicks()).isLessThan(30);
        }
    }

    /** A connection that had served nothing before was not stale, so that the endpoint may have done what it was asked. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                SeamStand.GET,
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            })
    void whatOneHasSeenGoesToNoOther(String request) throws IOException {
        RecordingBackend.Script gone = connection -> {
            connection.readRequest();
            connection.reset();
        };
        backend.onRequest(gone);
        try (RecordingBackend other = RecordingBackend.start().onRequest(gone);
                SeamStand stand = inTurn(backend.port(), other.port())) {
            RawClient client = stand.client();
            for (int i = 1; i <= 4; i++) {
                RawResponse response = client.send(request).response();
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.field("Remora-Error")).isEqualTo("backend-closed");
                assertThat(backend.requests().size() + other.requests().size()).isEqualTo(i);
            }
            stand.awaitIdle();
            assertThat(stand.repicks() + stand.retries()).isZero();
        }
    }

    @Test
    void bothAreDead() {
        try (SeamStand stand = SeamStand.start(dead.port(), alsoDead.port())) {
            refused(stand.get("/"));
            stand.awaitIdle();
            assertThat(stand.metric("remora_backend_connect_failures_total")).isEqualTo(2);
            assertThat(stand.repicks()).isOne();
            countedOnce(stand);
        }
    }

    @Test
    void theOnlyOneIsDead() {
        try (SeamStand stand = SeamStand.start(dead.port())) {
            refused(stand.get("/"));
            stand.awaitIdle();
            assertThat(stand.metric("remora_backend_connect_failures_total")).isOne();
            assertThat(stand.repicks()).isZero();
            countedOnce(stand);
        }
    }

    /** Endpoints get requests in turn, so that each of them is met. */
    private static SeamStand inTurn(int... ports) {
        return SeamStand.start(new Seams(), SeamStand.config("", "balancer: round-robin", ports));
    }

    private static void refused(RawResponse response) {
        assertThat(response.status()).isEqualTo(502);
        assertThat(response.field("Remora-Error")).isEqualTo("connect-failed");
    }

    private static void countedOnce(SeamStand stand) {
        assertThat(stand.failures("connect-failed")).isOne();
        assertThat(stand.failures()).isOne();
        assertThat(stand.retries()).isZero();
    }
}
