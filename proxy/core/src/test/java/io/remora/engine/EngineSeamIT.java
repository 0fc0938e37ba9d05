package io.remora.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ProxyConfig;
import io.remora.seams.BlockingEngine;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.stream.Verdict;
import io.remora.testkit.Await;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts carried out by an engine on blocking sockets, with the frontend, stages and admin pages that are shipped. */
final class EngineSeamIT {
    private final RecordingBackend backend = RecordingBackend.start();
    private @Nullable BlockingEngine engine;

    @AfterEach
    void close() {
        backend.close();
    }

    private final Seams seams = new Seams() {
        @Override
        public Engine engine(ProxyConfig config, Shared shared) {
            BlockingEngine made = new BlockingEngine(shared.stats());
            engine = made;
            return made;
        }
    };

    private BlockingEngine engine() {
        assertThat(engine).isNotNull();
        return engine;
    }

    private static String series(String metric) {
        return metric + "{cluster=\"app\",endpoint=\"blocking\"} ";
    }

    @Test
    void gets() throws IOException {
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(SeamStand.GET).response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests()).hasSize(5).allSatisfy(seen -> {
                assertThat(seen.field("Via")).isEqualTo("1.1 remora");
                assertThat(seen.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
            });
            stand.awaitIdle();
            assertThat(engine().attempts.get()).isEqualTo(5);
            assertThat(engine().verdicts).containsOnly(Verdict.SUCCESS).hasSize(5);
            assertThat(stand.failures()).isZero();
            // its own counters stand where everybody's do
            assertThat(stand.page("/metrics"))
                    .contains(series("remora_backend_connections_opened_total") + "5\n")
                    .contains(series("remora_backend_connections_closed_total") + "5\n");
            assertThat(stand.page("/clusters")).contains("blocking open=0");
        }
        assertThat(engine().closed.get()).isOne();
        assertThat(engine().closedClusters.get()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\n\r\nhello",
                "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
            })
    void posts(String rest) throws IOException {
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 3; i++) {
                assertThat(client.send("POST / HTTP/1.1\r\nHost: app\r\n" + rest)
                                .response()
                                .bodyText())
                        .isEqualTo("ok");
            }
            assertThat(backend.requests()).hasSize(3).allSatisfy(seen -> assertThat(seen.bodyText())
                    .isEqualTo("hello"));
        }
    }

    @Test
    void carriesLargeBodiesBothWays() throws IOException {
        byte[] body = new byte[2 << 20];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31);
        }
        backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + request.body().length + "\r\n\r\n");
            connection.write(request.body());
        });
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            RawClient client = stand.client();
            client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length + "\r\n\r\n")
                    .send(body);
            RawResponse response = client.response();
            assertThat(response.body()).isEqualTo(body);
        }
    }

    @Test
    void servesSeveralAtOnce() throws IOException {
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                clients.add(stand.client().send(SeamStand.GET));
            }
            for (RawClient client : clients) {
                assertThat(client.response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests()).hasSize(12);
        }
    }

    /** Two endpoints refuse: the engine has tried both, and the core has asked it once. */
    @Test
    void getsOneAttemptOnly() {
        try (DeadPort dead = new DeadPort();
                DeadPort alsoDead = new DeadPort();
                SeamStand stand = SeamStand.start(seams, dead.port(), alsoDead.port())) {
            RawResponse response = stand.get("/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("connect-failed");
            stand.awaitIdle();
            assertThat(engine().attempts.get()).isOne();
            assertThat(engine().connects.get()).isEqualTo(2);
            assertThat(engine().verdicts).containsExactly(Verdict.RETRYABLE);
            assertThat(stand.failures("connect-failed")).isOne();
            assertThat(stand.retries()).isZero();
            assertThat(stand.repicks()).isZero();
        }
    }

    @Test
    void triesTheNextByItself() {
        try (DeadPort dead = new DeadPort();
                SeamStand stand = SeamStand.start(seams, dead.port(), backend.port())) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(engine().attempts.get()).isOne();
            assertThat(engine().connects.get()).isEqualTo(2);
            assertThat(stand.repicks()).isZero();
        }
    }

    @Test
    void failsInTheMiddle() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.close();
        });
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            RawResponse response = stand.get("/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("backend-closed");
            stand.awaitIdle();
            assertThat(engine().attempts.get()).isOne();
            assertThat(stand.retries()).isZero();
        }
    }

    @Test
    void isToldThatTheClientLeft() throws IOException {
        backend.onRequest(connection -> connection.readToEnd());
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            RawClient client = stand.client();
            client.send(SeamStand.GET);
            Await.until("the request is at the backend", () -> backend.received().length > 0);
            client.reset();
            stand.awaitIdle();
            Await.until("closed", () -> backend.openConnections() == 0);
            assertThat(engine().verdicts).containsExactly(Verdict.IGNORED);
        }
    }

    @Test
    void isDrained() throws IOException {
        ProxyConfig next = SeamStand.config("""
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: next
                clusters:
                  next:
                    endpoints: ["127.0.0.1:PORT"]
                """.replace("PORT", Integer.toString(backend.port())));
        try (SeamStand stand = SeamStand.start(seams, backend.port())) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.proxy().replace(next);
            assertThat(engine().drained.get()).isOne();
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.page("/metrics")).contains("cluster=\"next\"").doesNotContain("cluster=\"app\"");
            assertThat(engine().closed.get()).isZero();
        }
        assertThat(engine().closed.get()).isOne();
    }
}
