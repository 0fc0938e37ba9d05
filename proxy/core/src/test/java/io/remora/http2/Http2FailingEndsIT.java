package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.FaultySeams;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.Http2Streams;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A connection of either side, some of whose streams throw as they end or go on: each other stream ends or goes on as well.
 *
 * <p>The path of a request says where it throws; see {@link FaultySeams}.
 */
final class Http2FailingEndsIT {
    private static final int THROWING = 6;
    private static final int SMALL_WINDOW = 1_000;
    private static final int BODY = 200_000;

    private static String[] head(String method, String path) {
        return new String[] {":method", method, ":scheme", "http", ":authority", "app", ":path", path};
    }

    private static SeamStand before(String listener, int port) {
        return SeamStand.start(new FaultySeams(), SeamStand.config(listener, "protocol: http2", port));
    }

    // ---- of an endpoint's connection

    /** The connection is closed, or refuses all streams by a GOAWAY. */
    @ParameterizedTest
    @CsvSource({"/response,true", "/response,false", "/broken-error,true", "/broken-error,false"})
    void streamsWhoseEndThrowsKeepNoOtherFromItsEnd(String path, boolean closes) throws IOException {
        try (Http2Streams endpoint = Http2Streams.start();
                SeamStand stand = before("", endpoint.port())) {
            for (int i = 1; i <= THROWING; i++) {
                int before = endpoint.requests();
                stand.client().send(Requests.post(path, "hello"));
                Await.until("at the endpoint", () -> endpoint.requests() > before);
            }
            RawClient last = stand.client().send(Requests.post("/good", "hello"));
            endpoint.connection(0).whole("/good");
            if (closes) {
                endpoint.connection(0).peer().close();
            } else {
                endpoint.connection(0).peer().goAway(0, Http2Peer.PROTOCOL_ERROR);
            }
            assertThat(last.response().status()).isGreaterThanOrEqualTo(502);
        }
    }

    /** The windows of all streams are opened at once. */
    @ParameterizedTest
    @ValueSource(strings = {"/writable", "/writable-error"})
    void streamsThatThrowAsThereIsRoomKeepNoOtherFromGoingOn(String path) throws IOException {
        try (Http2Streams endpoint = Http2Streams.start(Http2Peer.INITIAL_WINDOW_SIZE, SMALL_WINDOW);
                SeamStand stand = before("", endpoint.port())) {
            RawClient first = stand.client().send(Requests.get("/first"));
            Http2Streams.Connection connection = endpoint.connection(0);
            connection.respond(connection.whole("/first"), "ok");
            assertThat(first.response().status()).isEqualTo(200);
            connection.holdsBack(true);
            RawClient[] throwing = new RawClient[THROWING];
            for (int i = 0; i < THROWING; i++) {
                int before = endpoint.requests();
                throwing[i] = stand.client();
                throwing[i].send(Requests.post(path, "x".repeat(BODY)));
                Await.until("at the endpoint", () -> endpoint.requests() > before);
            }
            RawClient last = stand.client().send(Requests.post("/good", "x".repeat(BODY)));
            Http2Streams.Stream good = connection.stream("/good");
            Await.until("blocked", () -> good.octets() == SMALL_WINDOW);
            connection.peer().settings(Http2Peer.INITIAL_WINDOW_SIZE, 2 * BODY);
            connection.respond(connection.whole("/good"), "ok");
            assertThat(last.response().status()).isEqualTo(200);
            for (RawClient each : throwing) {
                assertThat(each.response().status()).isEqualTo(500);
            }
        }
    }

    /** The response to one of them is in the kernel when the rest of the requests can no longer be written. */
    @ParameterizedTest
    @ValueSource(strings = {"/idle", "/idle-error"})
    void streamsThatThrowAsTheOutputBreaksKeepNoOtherFromItsResponse(String path) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    for (int i = 0; i < THROWING; i++) {
                        peer.head();
                    }
                    begun.countDown();
                    Await.open(sent);
                    peer.headers(stream, false, ":status", "413", "content-length", "8")
                            .data(stream, true, "too much");
                    peer.abort();
                    answered.countDown();
                });
                SeamStand stand = before("", backend.port())) {
            String request = " HTTP/1.1\r\nHost: app\r\nContent-Length: 100\r\n\r\nx";
            RawClient good = stand.client().send("POST /good" + request);
            Await.until("dispatched", () -> stand.metric("remora_backend_connections_active") == 1);
            for (int i = 0; i < THROWING; i++) {
                stand.client().send("POST " + path + request);
            }
            Await.open(begun);
            for (Loop loop : stand.loops()) {
                CountDownLatch held = new CountDownLatch(1);
                loop.eventLoop().execute(() -> {
                    held.countDown();
                    Await.open(answered);
                });
                Await.open(held);
            }
            good.send("y");
            sent.countDown();
            RawResponse response = good.response();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.bodyText()).isEqualTo("too much");
        }
    }

    /** The responses of all come in one read. */
    @ParameterizedTest
    @ValueSource(strings = {"/verdict", "/attempt-error"})
    void streamsThatThrowAsTheirResponseIsWholeKeepNoOtherFromItsOwn(String path) throws IOException {
        try (Http2Streams endpoint = Http2Streams.start();
                SeamStand stand = before("", endpoint.port())) {
            RawClient[] clients = new RawClient[THROWING + 1];
            for (int i = 0; i <= THROWING; i++) {
                int before = endpoint.requests();
                clients[i] = stand.client().send(Requests.get(i == THROWING ? "/good" : path));
                Await.until("at the endpoint", () -> endpoint.requests() > before);
            }
            RawClient slow = stand.client().send(Requests.get("/slow"));
            Http2Streams.Connection connection = endpoint.connection(0);
            Http2Streams.Stream goesOn = connection.whole("/slow");
            CountDownLatch answered = new CountDownLatch(1);
            for (Loop loop : stand.loops()) {
                loop.eventLoop().execute(() -> Await.open(answered));
            }
            try {
                for (int i = 0; i <= THROWING; i++) {
                    connection.peer().respond(Http2Peer.FIRST + 2 * i, "ok");
                }
            } finally {
                answered.countDown();
            }
            for (RawClient each : clients) {
                assertThat(each.response().status()).isEqualTo(200);
            }
            connection.respond(goesOn, "ok");
            assertThat(slow.response().status()).isEqualTo(200);
        }
    }

    // ---- of a client's connection

    /** The client breaks a rule, which ends its connection and every request on it. */
    @ParameterizedTest
    @ValueSource(strings = {"/attempt", "/attempt-error"})
    void requestsWhoseEndThrowsKeepNoOtherOfTheirClientFromItsEnd(String path) throws IOException {
        try (Http2Streams endpoint = Http2Streams.start();
                SeamStand stand = before("protocol: http2", endpoint.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            int stream = 1;
            for (int i = 1; i <= THROWING; i++) {
                client.headers(stream, true, head("GET", path));
                stream += 2;
            }
            client.headers(stream, true, head("GET", "/good"));
            Http2Streams.Stream good = endpoint.connection(0).whole("/good");
            // RFC 9113 6.7
            client.send(FrameClient.frame(FrameClient.PING, 0, 0, new byte[3]));
            client.readToEnd();
            Await.until("reset", good::isReset);
        }
    }

    /** The client ends its side, and so cuts the requests that are not whole. */
    @ParameterizedTest
    @ValueSource(strings = {"/attempt", "/attempt-error"})
    void requestsThatThrowAsTheyAreCutShortKeepNoOtherFromItsResponse(String path) throws IOException {
        try (Http2Streams endpoint = Http2Streams.start();
                SeamStand stand = before("protocol: http2", endpoint.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, true, head("GET", "/good"));
            Http2Streams.Connection connection = endpoint.connection(0);
            Http2Streams.Stream good = connection.whole("/good");
            int stream = 3;
            for (int i = 1; i <= THROWING; i++) {
                int before = endpoint.requests();
                client.headers(stream, false, head("POST", path));
                stream += 2;
                Await.until("at the endpoint", () -> endpoint.requests() > before);
            }
            client.socket().shutdownOutput();
            Await.until("cut short", () -> stand.metric("remora_exchanges_in_flight") == 1);
            connection.respond(good, "ok");
            assertThat(client.answer(1).status()).isEqualTo(200);
        }
    }
}
