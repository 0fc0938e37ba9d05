package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.exchange.Stage;
import io.remora.http.RequestIds;
import io.remora.naming.Resolver;
import io.remora.seams.HeldLoop;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.Http2Streams;
import io.remora.seams.SeamStand;
import io.remora.seams.SettableResolver;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams that share a connection to an endpoint fail, stall and end one by one (RFC 9113 sections 5.1, 5.2 and 6.8). */
final class Http2BackendStreamsIT {
    private static final String HTTP2 = "protocol: http2";
    /** Far more than buffers hold. */
    private static final int LARGE = 2 << 20;
    /** More than all that stands between a client and an endpoint that does not read may hold. */
    private static final int HELD = 512 << 10;

    private final Http2Streams endpoint = Http2Streams.start();
    private final Http2Streams other = Http2Streams.start().answering();

    @AfterEach
    void close() {
        endpoint.close();
        other.close();
    }

    private static SeamStand before(Http2Streams endpoint) {
        return SeamStand.start("", HTTP2, endpoint.port());
    }

    private static String get(int number) {
        return Requests.get("/" + number);
    }

    private static String post(int number) {
        return Requests.post("/" + number, "hello");
    }

    /** One client a request, the next as soon as the endpoint has the one before. */
    private static List<RawClient> ask(SeamStand stand, Http2Streams endpoint, String... requests) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (String request : requests) {
            int before = endpoint.requests();
            clients.add(stand.client().send(request));
            Await.until("at the endpoint", () -> endpoint.requests() > before);
        }
        return clients;
    }

    @Test
    void eachStreamGetsItsOwnResponse() throws IOException {
        try (SeamStand stand = before(endpoint)) {
            List<RawClient> clients = ask(stand, endpoint, get(1), post(2), get(3), post(4), get(5));
            assertThat(endpoint.connections()).hasSize(1);
            Http2Streams.Connection connection = endpoint.connection(0);
            for (int number = 5; number >= 1; number--) {
                Http2Streams.Stream stream = connection.whole("/" + number);
                assertThat(stream.body()).isEqualTo(number % 2 == 0 ? "hello" : "");
                connection.respond(stream, "to " + number);
                assertThat(clients.get(number - 1).response().bodyText()).isEqualTo("to " + number);
            }
            stand.awaitIdle();
            assertThat(stand.metric("remora_backend_connections_opened_total")).isOne();
            assertThat(stand.metric("remora_backend_connections_reused_total")).isEqualTo(4);
            assertThat(stand.metric("remora_backend_connections_idle")).isOne();
            assertThat(stand.metric("remora_backend_exchanges_in_flight")).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void aResetFailsOneExchange() throws IOException {
        try (SeamStand stand = before(endpoint)) {
            List<RawClient> clients = ask(stand, endpoint, post(1), post(2), post(3));
            Http2Streams.Connection connection = endpoint.connection(0);
            connection.peer().reset(connection.whole("/2").number(), Http2Peer.INTERNAL_ERROR);
            RawResponse failed = clients.get(1).response();
            assertThat(failed.status()).isEqualTo(502);
            assertThat(failed.field("Remora-Error")).isEqualTo("stream-reset");
            connection.respond(connection.whole("/1"), "one");
            connection.respond(connection.whole("/3"), "three");
            assertThat(clients.get(0).response().bodyText()).isEqualTo("one");
            assertThat(clients.get(2).response().bodyText()).isEqualTo("three");
            endpoint.answering();
            assertThat(clients.get(1).send(post(4)).response().bodyText()).isEqualTo("ok");
            assertThat(endpoint.connections()).hasSize(1);
            stand.awaitIdle();
            assertThat(stand.failures()).isOne();
            assertThat(stand.retries()).isZero();
        }
    }

    @Test
    void aResetWithinAResponseCutsOneExchange() throws IOException {
        try (SeamStand stand = before(endpoint)) {
            List<RawClient> clients = ask(stand, endpoint, get(1), get(2));
            Http2Streams.Connection connection = endpoint.connection(0);
            int cut = connection.whole("/1").number();
            connection
                    .peer()
                    .headers(cut, false, ":status", "200", "content-length", "5")
                    .data(cut, false, "hel")
                    .reset(cut, Http2Peer.INTERNAL_ERROR);
            assertThat(new String(clients.get(0).readToEnd())).endsWith("\r\n\r\nhel");
            connection.respond(connection.whole("/2"), "two");
            assertThat(clients.get(1).response().bodyText()).isEqualTo("two");
            stand.awaitIdle();
            assertThat(stand.failures("stream-reset")).isOne();
        }
    }

    @Test
    void aStreamWithoutCreditStallsItself() throws Exception {
        endpoint.answering();
        try (SeamStand stand = before(endpoint)) {
            assertThat(stand.get("/1").bodyText()).isEqualTo("ok");
            Http2Streams.Connection connection = endpoint.connection(0);
            connection.holdsBack(true);
            RawClient stalled =
                    stand.client().send("POST /2 HTTP/1.1\r\nHost: app\r\nContent-Length: " + LARGE + "\r\n\r\n");
            Thread sender = new Thread(() -> stalled.trySend(new byte[LARGE]));
            sender.start();
            Http2Streams.Stream stream = connection.stream("/2");
            Await.until("its credit is used up", () -> stream.octets() == Http2Streams.WINDOW);
            for (int number = 3; number < 6; number++) {
                assertThat(stand.client().send(post(number)).response().bodyText())
                        .isEqualTo("ok");
            }
            assertThat(stream.octets()).isEqualTo(Http2Streams.WINDOW);
            assertThat(endpoint.connections()).hasSize(1);
            assertThat(stand.metric("remora_request_body_bytes_total")).isLessThan(HELD);
            connection.holdsBack(false);
            connection.peer().windowUpdate(stream.number(), Http2Streams.WINDOW);
            assertThat(stalled.response().bodyText()).isEqualTo("ok");
            sender.join(Await.TIMEOUT_MS);
            assertThat(stream.octets()).isEqualTo(LARGE);
        }
    }

    @Test
    void aConnectionWithRoomIsUsedBeforeAnotherIsOpened() throws IOException {
        try (Http2Streams two = Http2Streams.start(Http2Peer.MAX_CONCURRENT_STREAMS, 2);
                SeamStand stand = before(two)) {
            List<RawClient> clients = ask(stand, two, get(1), get(2), get(3), get(4), get(5));
            assertThat(two.connections()).hasSize(3).allSatisfy(connection -> assertThat(connection.streams())
                    .isBetween(1, 2));
            two.respondAll("ok");
            for (RawClient client : clients) {
                assertThat(client.response().bodyText()).isEqualTo("ok");
            }
            two.answering();
            for (int i = 0; i < 10; i++) {
                assertThat(clients.get(0).send(get(6)).response().bodyText()).isEqualTo("ok");
            }
            assertThat(two.connections()).hasSize(3);
        }
    }

    // ---- GOAWAY

    @Test
    void streamsAboveAGoAwayAreSentAgain() throws IOException {
        try (SeamStand stand = before(endpoint)) {
            List<RawClient> clients = ask(stand, endpoint, get(1), post(2), get(3), Requests.post("/4", ""));
            Http2Streams.Connection old = endpoint.connection(0);
            old.peer().goAway(old.whole("/2").number(), 0);
            Await.until("both are there", () -> endpoint.requests() == 6);
            assertThat(old.isEnded()).isFalse();
            old.respond(old.whole("/1"), "one");
            old.respond(old.whole("/2"), "two");
            assertThat(clients.get(0).response().bodyText()).isEqualTo("one");
            assertThat(clients.get(1).response().bodyText()).isEqualTo("two");
            Await.until("the old connection is closed", old::isEnded);
            Http2Streams.Connection fresh = endpoint.connection(1);
            fresh.respond(fresh.whole("/3"), "again");
            fresh.respond(fresh.whole("/4"), "again");
            assertThat(clients.get(2).response().bodyText()).isEqualTo("again");
            assertThat(clients.get(3).response().bodyText()).isEqualTo("again");
            assertThat(fresh.isEnded()).isFalse();
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
            assertThat(stand.retries()).isEqualTo(2);
            assertThat(stand.repicks()).isZero();
        }
    }

    @Test
    void aStreamAboveAGoAwayGoesToAnotherEndpoint() throws IOException {
        AtomicInteger refused = new AtomicInteger();
        try (Http2Backend leaving = Http2Backend.start((peer, connection) -> {
                    peer.begin().head();
                    refused.incrementAndGet();
                    peer.goAway(0, 0).awaitEnd();
                });
                SeamStand stand =
                        SeamStand.start("", HTTP2 + "\nbalancer: round-robin", leaving.port(), other.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 6; i++) {
                assertThat(client.send(get(i)).response().bodyText()).isEqualTo("ok");
            }
            assertThat(other.requests()).isEqualTo(6);
            stand.awaitIdle();
            assertThat(stand.repicks()).isPositive().isEqualTo(refused.get());
            assertThat(stand.retries()).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void aGoAwayClosesAnIdleConnection() throws IOException {
        endpoint.answering();
        try (SeamStand stand = before(endpoint)) {
            RawClient client = stand.client();
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(post(i)).response().bodyText()).isEqualTo("ok");
                Http2Streams.Connection connection = endpoint.connection(i);
                connection.peer().goAway(connection.whole("/" + i).number(), 0);
                Await.until("closed", connection::isEnded);
                Await.until("counted", () -> stand.metric("remora_backend_connections_idle") == 0);
            }
            assertThat(endpoint.connections()).hasSize(3);
        }
    }

    @Test
    void theEndOfAConnectionFailsAllItsStreams() throws IOException {
        try (SeamStand stand = before(endpoint)) {
            List<RawClient> clients = ask(stand, endpoint, post(1), post(2), post(3));
            for (int number = 1; number <= 3; number++) {
                endpoint.connection(0).whole("/" + number);
            }
            endpoint.connection(0).peer().close();
            for (RawClient client : clients) {
                assertThat(client.response().status()).isEqualTo(502);
            }
            stand.awaitIdle();
            assertThat(stand.failures("backend-closed")).isEqualTo(3);
            assertThat(stand.metric("remora_backend_connections_closed_total")).isOne();
            endpoint.answering();
            assertThat(clients.get(0).send(post(4)).response().bodyText()).isEqualTo("ok");
        }
    }

    // ---- the pool

    /** The connection had room for more when its endpoint left, and carries what it carried to the end. */
    @Test
    void aConnectionOfAGoneEndpointClosesAfterItsLastStream() throws IOException {
        SettableResolver resolver = new SettableResolver(SettableResolver.bound(List.of(endpoint.port())));
        Seams seams = new Seams() {
            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) {
                return resolver;
            }
        };
        try (SeamStand stand = SeamStand.start(seams, SeamStand.config("", HTTP2, 1))) {
            List<RawClient> clients = ask(stand, endpoint, get(1), get(2));
            resolver.set(SettableResolver.bound(List.of(other.port())));
            assertThat(stand.get("/3").bodyText()).isEqualTo("ok");
            assertThat(other.requests()).isOne();
            Http2Streams.Connection connection = endpoint.connection(0);
            connection.respond(connection.whole("/1"), "one");
            assertThat(clients.get(0).response().bodyText()).isEqualTo("one");
            assertThat(connection.isEnded()).isFalse();
            connection.respond(connection.whole("/2"), "two");
            assertThat(clients.get(1).response().bodyText()).isEqualTo("two");
            Await.until("closed", connection::isEnded);
            Await.until("forgotten", () -> !stand.page("/clusters").contains(":" + endpoint.port() + " "));
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
        }
    }

    /** Its last stream ends in the turn in which the next one begins. */
    @Test
    void aConnectionThatWasIdleForAMomentIsIdleAgainLater() throws IOException {
        HeldLoop heldLoop = new HeldLoop();
        Seams seams = new Seams() {
            @Override
            public Stage[] stages(
                    ListenerConfig listener, RequestIds requestIds, @Nullable Stage tracing, Shared shared) {
                Stage[] shipped = super.stages(listener, requestIds, tracing, shared);
                Stage[] all = new Stage[shipped.length + 1];
                all[0] = heldLoop;
                System.arraycopy(shipped, 0, all, 1, shipped.length);
                return all;
            }
        };
        try (SeamStand stand =
                SeamStand.start(seams, SeamStand.config("", HTTP2 + "\ntimeouts: { idle: 400ms }", endpoint.port()))) {
            RawClient first = ask(stand, endpoint, get(1)).get(0);
            Http2Streams.Connection connection = endpoint.connection(0);
            RawClient second = stand.client().send(HeldLoop.REQUEST);
            heldLoop.awaitBusy();
            connection.respond(connection.whole("/1"), "one");
            heldLoop.letGo();
            assertThat(first.response().bodyText()).isEqualTo("one");
            Http2Streams.Stream next = connection.whole(HeldLoop.PATH);
            assertThat(stand.metric("remora_backend_connections_idle")).isZero();
            assertThat(stand.metric("remora_backend_connections_active")).isOne();
            connection.respond(next, "two");
            assertThat(second.response().bodyText()).isEqualTo("two");
            assertThat(endpoint.connections()).hasSize(1);
            // nobody needs it any longer
            Await.until("closed", connection::isEnded);
        }
    }
}
