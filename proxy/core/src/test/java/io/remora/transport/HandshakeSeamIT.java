package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.exchange.Stage;
import io.remora.http.RequestIds;
import io.remora.seams.HeldLoop;
import io.remora.seams.HelloHandshake;
import io.remora.seams.Masking;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handshake between the connect, or the accept, and the first request; behind it every octet is masked. */
@EveryEngine
final class HandshakeSeamIT {
    private static final int MASK = 0x5a;
    private static final String POST = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";

    private final RecordingBackend backend = RecordingBackend.start();
    private final RecordingBackend other = RecordingBackend.start();
    private final List<RawRequest> requests = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        backend.close();
        other.close();
    }

    /** With the handshake towards endpoints. */
    private static Seams connecting(Stage... first) {
        return new Seams() {
            @Override
            public Handshake handshake(ClusterConfig config, Shared shared) {
                return HelloHandshake.opening(MASK);
            }

            @Override
            public Stage[] stages(
                    ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
                return HandshakeSeamIT.behind(first, super.stages(listener, requestIds, tracing, shared));
            }
        };
    }

    private static Stage[] behind(Stage[] first, Stage[] rest) {
        Stage[] all = new Stage[first.length + rest.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(rest, 0, all, first.length, rest.length);
        return all;
    }

    /** With the handshake towards clients. */
    private static Seams accepting() {
        return new Seams() {
            @Override
            public Handshake handshake(ListenerConfig listener, Shared shared) {
                return HelloHandshake.accepting(MASK);
            }
        };
    }

    // ---- connections to endpoints

    private static void hello(BackendConnection connection) throws IOException {
        for (char expected : HelloHandshake.HELLO.toCharArray()) {
            assertThat((char) connection.input().read()).isEqualTo(expected);
        }
    }

    private void answer(BackendConnection connection) throws IOException {
        requests.add(StrictHttp.request(Masking.unmasking(connection.input(), MASK)));
        connection.write(Masking.masked(Wire.bytes(RecordingBackend.OK), MASK));
    }

    /** Says its word at once. */
    private void shake(RecordingBackend at) {
        at.onAccept(connection -> {
            hello(connection);
            connection.write(HelloHandshake.ANSWER);
        });
        at.onRequest(this::answer);
    }

    @ParameterizedTest
    @ValueSource(strings = {SeamStand.GET, POST})
    void aRequestWaitsForASlowOne(String request) throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        backend.onAccept(connection -> {
            hello(connection);
            connection.write("h");
            Await.open(mayAnswer);
            connection.write("o");
            // nothing but the hello has come so far
            assertThat(Wire.text(connection.received())).isEqualTo(HelloHandshake.HELLO);
            connection.write("\n");
        });
        backend.onRequest(this::answer);
        try (SeamStand stand =
                SeamStand.start(connecting(), SeamStand.config("", "timeouts: { connect: 20s }", backend.port()))) {
            RawClient client = stand.client();
            RawClient second = stand.client();
            client.send(request);
            second.send(request);
            Await.until("both have said hello", () -> backend.received().length == 2 * HelloHandshake.HELLO.length());
            assertThat(stand.metric("remora_backend_connections_opened_total")).isZero();
            assertThat(stand.metric("remora_backend_connects_total")).isEqualTo(2);
            mayAnswer.countDown();
            assertThat(client.response().bodyText()).isEqualTo("ok");
            assertThat(second.response().bodyText()).isEqualTo("ok");
            assertThat(requests).hasSize(2).allSatisfy(seen -> assertThat(seen.bodyText())
                    .isEqualTo(request.equals(POST) ? "hello" : ""));
            assertThat(stand.failures()).isZero();
            assertThat(backend.problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ha\n", "h", ""})
    void oneThatFails(String word) throws IOException {
        failing(backend, word);
        try (SeamStand stand = SeamStand.start(connecting(), backend.port())) {
            RawResponse response = stand.client().send(POST).response();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
            stand.awaitIdle();
            assertThat(stand.failures("handshake-failed")).isOne();
            assertThat(stand.metric("remora_backend_connect_failure_causes_total", "handshake"))
                    .isOne();
            assertThat(stand.failures()).isOne();
            assertThat(stand.metric("remora_backend_connect_failures_total")).isOne();
            Await.until("closed", () -> backend.openConnections() == 0);
            assertThat(Wire.text(backend.received())).isEqualTo(HelloHandshake.HELLO);
        }
    }

    private static void failing(RecordingBackend at, String word) {
        at.onAccept(connection -> {
            hello(connection);
            connection.write(word);
            if (!word.endsWith("\n")) {
                connection.close();
            }
        });
    }

    @Test
    void oneThatFailsIsRepicked() throws IOException {
        failing(backend, "no\n");
        shake(other);
        try (SeamStand stand = SeamStand.start(
                connecting(), SeamStand.config("", "balancer: round-robin", backend.port(), other.port()))) {
            RawClient client = stand.client();
            for (int i = 0; i < 6; i++) {
                assertThat(client.send(POST).response().bodyText()).isEqualTo("ok");
            }
            assertThat(requests).hasSize(6).allSatisfy(seen -> assertThat(seen.bodyText())
                    .isEqualTo("hello"));
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
            assertThat(stand.retries()).isZero();
            assertThat(stand.repicks()).isPositive().isEqualTo(stand.metric("remora_backend_connect_failures_total"));
        }
    }

    @Test
    void oneThatNeverEnds() throws IOException {
        backend.onAccept(connection -> connection.readToEnd());
        try (SeamStand stand =
                SeamStand.start(connecting(), SeamStand.config("", "timeouts: { connect: 300ms }", backend.port()))) {
            RawResponse response = stand.client().send(POST).response();
            assertThat(response.status()).isEqualTo(504);
            assertThat(response.field("Remora-Error")).isEqualTo("connect-timeout");
            Await.until("closed", () -> backend.openConnections() == 0);
            stand.awaitIdle();
            assertThat(stand.failures("connect-timeout")).isOne();
            assertThat(stand.metric("remora_backend_connections_opened_total")).isZero();
        }
    }

    @Test
    void oneThatNeverEndsIsRepicked() throws IOException {
        backend.onAccept(connection -> connection.readToEnd());
        shake(other);
        try (SeamStand stand = SeamStand.start(
                connecting(), SeamStand.config("", "timeouts: { connect: 300ms }", backend.port(), other.port()))) {
            // which one is picked first is left to chance
            for (int i = 0; i < 50 && stand.repicks() == 0; i++) {
                assertThat(stand.client().send(POST).response().bodyText()).isEqualTo("ok");
                stand.awaitIdle();
            }
            assertThat(stand.failures()).isZero();
            assertThat(stand.repicks()).isOne();
        }
    }

    /** Its client has gone by the time the connection is ready, which then waits for the next one. */
    @Test
    void oneWhoseClientLeaves() throws IOException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        backend.onAccept(connection -> {
            hello(connection);
            Await.open(mayAnswer);
            connection.write(HelloHandshake.ANSWER);
        });
        backend.onRequest(this::answer);
        try (SeamStand stand =
                SeamStand.start(connecting(), SeamStand.config("", "timeouts: { connect: 20s }", backend.port()))) {
            RawClient gone = stand.client();
            gone.send(SeamStand.GET);
            Await.until("hello", () -> backend.received().length == HelloHandshake.HELLO.length());
            gone.reset();
            stand.awaitIdle();
            mayAnswer.countDown();
            Await.until("ready", () -> stand.metric("remora_backend_connections_idle") == 1);
            assertThat(stand.client().send(POST).response().bodyText()).isEqualTo("ok");
            assertThat(backend.connections()).hasSize(1);
            assertThat(requests).hasSize(1);
        }
    }

    @Test
    void reusesWhatIsIdle() throws IOException {
        shake(backend);
        try (SeamStand stand = SeamStand.start(connecting(), backend.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(POST).response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.connections()).hasSize(1);
            assertThat(stand.metric("remora_backend_connections_reused_total")).isEqualTo(4);
            assertThat(requests).hasSize(5);
        }
    }

    /** The look at an idle connection before it is used again goes through the pipeline, and so through the mask. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void seesWhatHasJustComeOnAnIdleOne(boolean closes) throws IOException {
        shake(backend);
        HeldLoop heldLoop = new HeldLoop();
        try (SeamStand stand = SeamStand.start(connecting(heldLoop), backend.port())) {
            assertThat(stand.client().send(POST).response().bodyText()).isEqualTo("ok");
            Await.until("idle", () -> stand.metric("remora_backend_connections_idle") == 1);
            RawClient client = stand.client();
            client.send(HeldLoop.REQUEST);
            heldLoop.awaitBusy();
            BackendConnection idle = backend.connections().get(0);
            if (closes) {
                idle.close();
            } else {
                idle.write(Masking.masked(Wire.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), MASK));
            }
            heldLoop.letGo();
            assertThat(client.response().bodyText()).isEqualTo("ok");
            assertThat(backend.connections()).hasSize(2);
            assertThat(requests).hasSize(2);
            stand.awaitIdle();
            assertThat(stand.retries()).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    // ---- connections from clients

    private static RawResponse read(RawClient client) throws IOException {
        InputStream in = client.input();
        return StrictHttp.response(Masking.unmasking(in, MASK), "GET");
    }

    private static byte[] masked(String octets) {
        return Masking.masked(Wire.bytes(octets), MASK);
    }

    @Test
    void aClientShakesHandsOctetByOctet() throws IOException {
        try (SeamStand stand = SeamStand.start(accepting(), backend.port())) {
            RawClient client = stand.client();
            for (char octet : HelloHandshake.HELLO.toCharArray()) {
                client.send(String.valueOf(octet));
                // something else has gone through the loop meanwhile
                stand.page("/metrics");
            }
            assertThat(Wire.text(client.read(HelloHandshake.ANSWER.length()))).isEqualTo(HelloHandshake.ANSWER);
            for (int i = 0; i < 3; i++) {
                client.send(masked(POST));
                assertThat(read(client).bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests()).hasSize(3).allSatisfy(seen -> {
                assertThat(seen.field("X-Forwarded-Proto")).isEqualTo("https");
                assertThat(seen.bodyText()).isEqualTo("hello");
            });
        }
    }

    @Test
    void aClientSendsItsRequestAhead() throws IOException {
        try (SeamStand stand = SeamStand.start(accepting(), backend.port())) {
            byte[] request = masked(POST);
            byte[] hello = Wire.bytes(HelloHandshake.HELLO);
            byte[] all = new byte[hello.length + request.length];
            System.arraycopy(hello, 0, all, 0, hello.length);
            System.arraycopy(request, 0, all, hello.length, request.length);
            RawClient client = stand.client();
            client.send(all);
            client.read(HelloHandshake.ANSWER.length());
            assertThat(read(client).bodyText()).isEqualTo("ok");
            assertThat(backend.requests().get(0).bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void aClientFails() throws IOException {
        try (SeamStand stand = SeamStand.start(accepting(), backend.port())) {
            for (int i = 0; i < 5; i++) {
                assertThat(stand.client().send(SeamStand.GET).readToEnd()).isEmpty();
                assertThat(stand.client().send("h").shutdownOutput().readToEnd())
                        .isEmpty();
                stand.client().send("h").reset();
            }
            assertThat(backend.connections()).isEmpty();
            assertThat(stand.metric("remora_exchanges_started_total")).isZero();
        }
    }

    @Test
    void aClientNeverEndsIt() throws IOException {
        try (SeamStand stand = SeamStand.start(
                accepting(), SeamStand.config("timeouts: { header-read: 300ms }", "", backend.port()))) {
            RawClient silent = stand.client();
            RawClient half = stand.client();
            half.send("hi");
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(half.closedByPeer()).isTrue();
            assertThat(stand.metric("remora_exchanges_started_total")).isZero();
        }
    }
}
