package io.remora.http2;

import static io.remora.http2.FrameClient.ACK;
import static io.remora.http2.FrameClient.PING;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.WebSocketKeys;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.KernelQueues;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long streams may rest: {@code timeouts.stream-idle} of a route, and what watches their sides meanwhile. */
final class StreamIdleIT {
    /** Routes that let exchanges rest, and one with the listener's time. */
    private static final String LISTENER = """
            timeouts: {body-idle: 150ms, idle: 150ms, tcp-keep-alive: true}
            routes:
              - {match: {prefix: /watch}, cluster: app, timeouts: {stream-idle: off}}
              - {match: {prefix: /slow}, cluster: app, timeouts: {stream-idle: 1h}}
              - {cluster: app}
            """;

    private static final String CLUSTER = "timeouts: {tcp-keep-alive: true}\n";
    private static final String EVENTS =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n";

    private final CountDownLatch others = new CountDownLatch(1);
    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        others.countDown();
        backend.close();
    }

    private SeamStand stand() {
        return SeamStand.start(LISTENER, CLUSTER, backend.port());
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }

    /** One event, and a second one once others have been cut that rested for less. */
    private void events(BackendConnection connection) throws IOException {
        String target = connection.readHead().target();
        connection.write(EVENTS);
        if (target.equals("/")) {
            connection.readToEnd();
        } else {
            connection.waitFor(() -> Await.open(others));
            connection.write("3\r\ntwo\r\n0\r\n\r\n");
        }
    }

    /** Waits until exchanges without a time of their own have been cut, twice in turn, and lets the others go on. */
    private void outlast(SeamStand stand, String label) throws IOException {
        for (int i = 1; i <= 2; i++) {
            long so = i;
            stand.client().send(get("/"));
            Await.until("cut", () -> stand.failures(label) == so);
        }
        others.countDown();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/watch", "/slow"})
    void eventsMayRest(String path) throws IOException {
        backend.onRequest(this::events);
        try (SeamStand stand = stand()) {
            RawClient client = stand.client();
            client.send(get(path));
            assertThat(client.responseHead().status()).isEqualTo(200);
            assertThat(new String(client.read(8))).isEqualTo("3\r\none\r\n");
            outlast(stand, "backend-stalled");
            assertThat(new String(client.read(13))).isEqualTo("3\r\ntwo\r\n0\r\n\r\n");
        }
    }

    @Test
    void aRequestThatGoesOnMayRest() throws IOException {
        backend.onRequest(this::events);
        try (SeamStand stand = stand()) {
            RawClient client = stand.client();
            client.send("POST /watch HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
            assertThat(client.responseHead().status()).isEqualTo(200);
            outlast(stand, "backend-stalled");
            client.send("1\r\nb\r\n0\r\n\r\n");
            assertThat(new String(client.read(21))).endsWith("3\r\ntwo\r\n0\r\n\r\n");
        }
    }

    @Test
    void aStreamOfHttp2MayRest() throws IOException {
        backend.onRequest(this::events);
        try (SeamStand stand = SeamStand.start("protocol: auto\n" + LISTENER, CLUSTER, backend.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, path("/watch")).data(1, false, "a");
            assertThat(client.begun(1).status()).isEqualTo(200);
            outlast(stand, "backend-stalled");
            assertThat(client.data(1, true, "b").answer(1).text()).isEqualTo("onetwo");
        }
    }

    private static String[] path(String path) {
        String[] head = POST.clone();
        head[head.length - 1] = path;
        return with(head, "te", "trailers");
    }

    @Test
    void aWebSocketMayRest() throws IOException {
        backend.onRequest(connection -> {
            RawRequest request = connection.readHead();
            connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: "
                    + WebSocketKeys.accept(String.valueOf(request.field("Sec-WebSocket-Key"))) + "\r\n\r\n");
            if (request.target().equals("/watch")) {
                connection.waitFor(() -> Await.open(others));
                connection.write("late");
            }
            connection.readToEnd();
        });
        try (SeamStand stand = stand()) {
            RawClient client = upgrade(stand, "/watch");
            for (int i = 0; i < 2; i++) {
                assertThat(upgrade(stand, "/").closedByPeer()).isTrue();
            }
            others.countDown();
            assertThat(new String(client.read(4))).isEqualTo("late");
        }
    }

    private static RawClient upgrade(SeamStand stand, String path) throws IOException {
        RawClient client = stand.client();
        client.send("GET " + path + " HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        assertThat(client.responseHead().status()).isEqualTo(101);
        return client;
    }

    /** Silence is off, and not the bound on a side that takes nothing. */
    @Test
    void anEndpointThatTakesNothingMayNotRest() throws IOException {
        backend.onRequest(connection -> {
            connection.readHead();
            connection.write(EVENTS);
            connection.waitFor(() -> Await.open(others));
        });
        try (SeamStand stand = stand()) {
            RawClient client = stand.client();
            client.send("POST /watch HTTP/1.1\r\nHost: app\r\nContent-Length: 100000000\r\n\r\n");
            byte[] piece = new byte[1 << 16];
            while (client.trySend(piece)) {
                // until it is cut
            }
            Await.until("cut", () -> stand.failures("backend-stalled") == 1);
        }
    }

    // ---- what watches them

    @Test
    void theKernelAsksBothSides() throws IOException {
        backend.onRequest(this::events);
        try (SeamStand stand = stand()) {
            RawClient client = stand.client();
            client.send(get("/watch"));
            assertThat(client.responseHead().status()).isEqualTo(200);
            int listening = stand.address().getPort();
            Await.until(
                    "asked",
                    () -> KernelQueues.isKeptAlive(listening, client.socket().getLocalPort())
                            && KernelQueues.isKeptAliveTowards(backend.port()));
            others.countDown();
        }
    }

    private SeamStand pinging() {
        String listener = LISTENER.replace("tcp-keep-alive: true", "header-read: 9s");
        return SeamStand.start("protocol: http2\nhttp2: {keep-alive: 100ms}\n" + listener, CLUSTER, backend.port());
    }

    @Test
    void aClientThatAnswersPingsStays() throws IOException {
        backend.onRequest(this::events);
        try (SeamStand stand = pinging();
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, true, path("/watch"));
            int pings = 0;
            while (pings < 4) {
                FrameClient.Frame frame = client.read();
                assertThat(frame).isNotNull();
                if (frame.type() == PING && (frame.flags() & ACK) == 0) {
                    pings++;
                    client.send(FrameClient.frame(PING, ACK, 0, frame.payload()));
                }
            }
            others.countDown();
            assertThat(client.answer(1).text()).isEqualTo("onetwo");
        }
    }

    @Test
    void aClientThatAnswersNoPingEnds() throws IOException {
        backend.onRequest(this::events);
        try (SeamStand stand = pinging();
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, true, path("/watch"));
            while (client.read() != null) {
                // nothing is answered
            }
            Await.until("told", () -> stand.failures("client-gone") == 1);
            Await.until("the endpoint learns of it", () -> backend.openConnections() == 0);
        }
    }

    /** Its time between requests is the listener's {@code idle}. */
    @Test
    void aClientWithoutStreamsIsNotAsked() throws IOException {
        try (SeamStand stand = pinging();
                FrameClient client = FrameClient.connect(stand.address())) {
            for (FrameClient.Frame frame = client.read(); frame != null; frame = client.read()) {
                assertThat(frame.type()).isNotEqualTo(PING);
            }
        }
    }
}
