package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.ClusterConfig;
import io.remora.config.ListenerConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.Stage;
import io.remora.http.RequestIds;
import io.remora.naming.Resolver;
import io.remora.pool.Protocol;
import io.remora.seams.Frame;
import io.remora.seams.FramePeer;
import io.remora.seams.FrameServer;
import io.remora.seams.FramesBackend;
import io.remora.seams.FramesFrontend;
import io.remora.seams.HeldLoop;
import io.remora.seams.SettableResolver;
import io.remora.serving.Assembly;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import io.remora.transport.Acceptor;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A protocol whose connections carry many streams, towards endpoints, towards clients, and on both sides. */
final class MultiplexSeamIT {
    private static final int MANY = 8;
    /** Far more than buffers hold. */
    private static final int LARGE_OCTETS = 2 << 20;
    /** What all that stands between a client and an endpoint that does not read may hold. */
    private static final int HELD_OCTETS = 256 << 10;

    private final FrameServer server = new FrameServer();
    private final FrameServer other = new FrameServer();
    private final List<FramePeer> peers = new ArrayList<>();

    @AfterEach
    void close() {
        peers.forEach(FramePeer::close);
        server.close();
        other.close();
    }

    private static class Frames extends Assembly {
        private final int expectedStreams;
        private final int maxStreams;

        Frames(int expectedStreams, int maxStreams) {
            this.expectedStreams = expectedStreams;
            this.maxStreams = maxStreams;
        }

        @Override
        public Protocol of(ClusterConfig config, Loop loop) {
            return new FramesBackend(config, loop, expectedStreams, maxStreams);
        }
    }

    /** On both sides. */
    private static final class OnlyFrames extends Frames {
        OnlyFrames(int expectedStreams, int maxStreams) {
            super(expectedStreams, maxStreams);
        }

        @Override
        public Acceptor.Protocol protocol(ListenerLoop listener) {
            return new FramesFrontend(listener);
        }
    }

    private static Assembly toEndpoints() {
        return new Frames(MANY, MANY);
    }

    private static Assembly onBothSides() {
        return new OnlyFrames(MANY, MANY);
    }

    private static Assembly toClients() {
        return new Assembly() {
            @Override
            public Acceptor.Protocol protocol(ListenerLoop listener) {
                return new FramesFrontend(listener);
            }
        };
    }

    private FramePeer peer(SeamStand stand) {
        FramePeer peer = FramePeer.connect(stand.address());
        peers.add(peer);
        return peer;
    }

    private static String get(int number) {
        return "GET /" + number + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }

    private static String post(int number) {
        return "POST /" + number + " HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";
    }

    /** One client a request, the next as soon as the server has the one before. */
    private List<RawClient> ask(SeamStand stand, String... requests) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (String request : requests) {
            int before = server.requests();
            clients.add(stand.client().send(request));
            Await.until("at the server", () -> server.requests() > before);
        }
        return clients;
    }

    // ---- towards endpoints

    @Test
    void exchangesShareAConnection() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            List<RawClient> clients = ask(stand, get(1), post(2), get(3), post(4), get(5));
            assertThat(server.connections()).hasSize(1);
            FramePeer connection = server.connection(0);
            // each gets its own, whatever the order
            for (int stream = 5; stream >= 1; stream--) {
                assertThat(connection.awaitEnd(stream).head()).contains(" /" + stream + " app ", "Via: 1.1 remora\n");
                assertThat(connection.stream(stream).body()).isEqualTo(stream % 2 == 0 ? "hello" : "");
                FrameServer.ok(connection, stream, "to " + stream);
                RawResponse response = clients.get(stream - 1).response();
                assertThat(response.bodyText()).isEqualTo("to " + stream);
                assertThat(response.field("Via")).isEqualTo("frames remora");
            }
            stand.awaitIdle();
            assertThat(stand.metric("remora_backend_connections_opened_total")).isOne();
            assertThat(stand.metric("remora_backend_connections_reused_total")).isEqualTo(4);
            assertThat(stand.metric("remora_backend_connections_idle")).isOne();
            assertThat(stand.metric("remora_backend_exchanges_in_flight")).isZero();
            assertThat(stand.failures()).isZero();
        }
    }

    /** That there is no content is said by the stream's end alone; an HTTP/1 client needs to see it in the head. */
    @Test
    void aResponseWithoutContentSaysSo() throws IOException {
        server.onFrame((peer, frame) -> {
            if (frame.type() == Frame.Type.END) {
                String status = peer.stream(frame.stream()).head().contains(" /204 ") ? "204" : "200";
                peer.send(Frame.head(frame.stream(), status + " 0\n"), Frame.end(frame.stream()));
            }
        });
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            RawClient client = stand.client();
            RawResponse empty = client.send(get(1)).response();
            assertThat(empty.field("Content-Length")).isEqualTo("0");
            RawResponse none = client.send(get(204)).response();
            assertThat(none.status()).isEqualTo(204);
            assertThat(none.fields().has("Content-Length")).isFalse();
            RawResponse toHead =
                    client.send("HEAD / HTTP/1.1\r\nHost: app\r\n\r\n").response("HEAD");
            assertThat(toHead.fields().has("Content-Length")).isFalse();
            assertThat(client.send(get(2)).response().status()).isEqualTo(200);
        }
    }

    @Test
    void aResetFailsOneExchange() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            List<RawClient> clients = ask(stand, post(1), post(2), post(3));
            FramePeer connection = server.connection(0);
            connection.send(Frame.reset(2));
            RawResponse failed = clients.get(1).response();
            assertThat(failed.status()).isEqualTo(502);
            assertThat(failed.field("Remora-Error")).isEqualTo("backend-closed");
            FrameServer.ok(connection, 1, "one");
            FrameServer.ok(connection, 3, "three");
            assertThat(clients.get(0).response().bodyText()).isEqualTo("one");
            assertThat(clients.get(2).response().bodyText()).isEqualTo("three");
            server.onFrame(FrameServer::answer);
            assertThat(clients.get(1).send(post(4)).response().bodyText()).isEqualTo("ok");
            assertThat(server.connections()).hasSize(1);
            stand.awaitIdle();
            assertThat(stand.failures()).isOne();
            assertThat(stand.retries()).isZero();
        }
    }

    @Test
    void aResetWithinAResponseCutsOneExchange() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            List<RawClient> clients = ask(stand, get(1), get(2));
            FramePeer connection = server.connection(0);
            connection.send(Frame.head(1, "200 5\n"), Frame.data(1, "hel"), Frame.reset(1));
            assertThat(Wire.text(clients.get(0).readToEnd())).endsWith("\r\n\r\nhel");
            FrameServer.ok(connection, 2, "two");
            assertThat(clients.get(1).response().bodyText()).isEqualTo("two");
            stand.awaitIdle();
            assertThat(stand.failures("backend-closed")).isOne();
        }
    }

    @Test
    void aStreamWithoutCreditStallsItself() throws Exception {
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            assertThat(stand.get("/1").bodyText()).isEqualTo("ok");
            FramePeer connection = server.connection(0);
            connection.givesCredit(false);
            byte[] body = new byte[LARGE_OCTETS];
            RawClient stalled = stand.client();
            stalled.send("POST /2 HTTP/1.1\r\nHost: app\r\nContent-Length: " + LARGE_OCTETS + "\r\n\r\n");
            Thread sender = new Thread(() -> stalled.trySend(body));
            sender.start();
            Await.until("its credit is used up", () -> connection.stream(2).octets() == Frame.WINDOW);
            // others go on over the same connection
            for (int i = 3; i < 6; i++) {
                assertThat(stand.client().send(post(i)).response().bodyText()).isEqualTo("ok");
            }
            assertThat(connection.stream(2).octets()).isEqualTo(Frame.WINDOW);
            assertThat(server.connections()).hasSize(1);
            // and the client is not read
            assertThat(stand.metric("remora_request_body_bytes_total")).isLessThan(HELD_OCTETS);
            connection.givesCredit(true);
            connection.send(Frame.credit(2, Frame.WINDOW));
            assertThat(stalled.response().bodyText()).isEqualTo("ok");
            sender.join(Await.TIMEOUT_MS);
            assertThat(connection.stream(2).octets()).isEqualTo(LARGE_OCTETS);
        }
    }

    @Test
    void opensAnotherConnectionForMoreStreams() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(new Frames(2, 2), server.port())) {
            List<RawClient> clients = ask(stand, get(1), get(2), get(3), get(4), get(5));
            assertThat(server.connections()).hasSize(3).allSatisfy(connection -> assertThat(connection.streams())
                    .isBetween(1, 2));
            answerAll();
            for (RawClient client : clients) {
                assertThat(client.response().bodyText()).isEqualTo("ok");
            }
            // and uses what has room again
            server.onFrame(FrameServer::answer);
            for (int i = 0; i < 10; i++) {
                assertThat(clients.get(0).send(get(6)).response().bodyText()).isEqualTo("ok");
            }
            assertThat(server.connections()).hasSize(3);
        }
    }

    private void answerAll() throws IOException {
        for (FramePeer connection : server.connections()) {
            for (int stream = 1; stream <= connection.streams(); stream++) {
                FrameServer.ok(connection, stream, "ok");
            }
        }
    }

    // ---- GOAWAY

    @Test
    void whatIsAboveAGoAwayIsSentAgain() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            List<RawClient> clients =
                    ask(stand, get(1), post(2), get(3), "POST /4 HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n");
            FramePeer old = server.connection(0);
            old.send(Frame.goAway(2));
            // neither of the two had a body on its way
            FramePeer fresh = server.connection(1);
            Await.until("both are there", () -> server.requests() == 6);
            assertThat(old.isEnded()).isFalse();
            FrameServer.ok(old, 1, "one");
            FrameServer.ok(old, 2, "two");
            assertThat(clients.get(0).response().bodyText()).isEqualTo("one");
            assertThat(clients.get(1).response().bodyText()).isEqualTo("two");
            Await.until("the old connection is closed", old::isEnded);
            for (FramePeer connection :
                    server.connections().subList(1, server.connections().size())) {
                for (int stream = 1; stream <= connection.streams(); stream++) {
                    FrameServer.ok(connection, stream, "again");
                }
            }
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
    void whatIsAboveAGoAwayGoesToAnotherEndpoint() throws IOException {
        server.onFrame((peer, frame) -> {
            if (frame.type() == Frame.Type.HEAD) {
                peer.send(Frame.goAway(frame.stream() - 1));
            }
        });
        try (SeamStand stand = SeamStand.start(
                toEndpoints(), SeamStand.config("", "balancer: round-robin", server.port(), other.port()))) {
            RawClient client = stand.client();
            for (int i = 0; i < 6; i++) {
                assertThat(client.send(get(i)).response().bodyText()).isEqualTo("ok");
            }
            assertThat(other.requests()).isEqualTo(6);
            stand.awaitIdle();
            assertThat(stand.repicks()).isPositive().isEqualTo(server.requests());
            assertThat(stand.retries()).isZero();
            assertThat(stand.failures()).isZero();
            for (FramePeer connection : server.connections()) {
                Await.until("closed", connection::isEnded);
            }
        }
    }

    /** Content that has gone out is not kept, so that the request cannot be sent again. */
    @Test
    void aBodyThatIsOnItsWayIsNotSentAgain() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            RawClient client = stand.client();
            client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 9\r\n\r\n1234");
            FramePeer connection = server.connection(0);
            Await.until("content is there", () -> connection.stream(1).octets() == 4);
            connection.send(Frame.goAway(0));
            RawResponse response = client.response();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.field("Remora-Error")).isEqualTo("stream-refused");
            Await.until("closed", connection::isEnded);
            stand.awaitIdle();
            assertThat(server.connections()).hasSize(1);
            assertThat(stand.failures("stream-refused")).isOne();
        }
    }

    @Test
    void aGoAwayClosesAnIdleConnection() throws IOException {
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            RawClient client = stand.client();
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(post(i)).response().bodyText()).isEqualTo("ok");
                FramePeer connection = server.connection(i);
                connection.send(Frame.goAway(1));
                Await.until("closed", connection::isEnded);
                Await.until("counted", () -> stand.metric("remora_backend_connections_idle") == 0);
            }
            assertThat(server.connections()).hasSize(3);
        }
    }

    @Test
    void theEndOfAConnectionFailsAllItsStreams() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            List<RawClient> clients = ask(stand, post(1), post(2), post(3));
            server.connection(0).close();
            for (RawClient client : clients) {
                assertThat(client.response().status()).isEqualTo(502);
            }
            stand.awaitIdle();
            assertThat(stand.failures("backend-closed")).isEqualTo(3);
            assertThat(stand.metric("remora_backend_connections_closed_total")).isOne();
            server.onFrame(FrameServer::answer);
            assertThat(clients.get(0).send(post(4)).response().bodyText()).isEqualTo("ok");
        }
    }

    // ---- the pool

    private static Assembly withResolver(SettableResolver resolver) {
        return new Frames(MANY, MANY) {
            @Override
            public Resolver of(ClusterConfig config) {
                return resolver;
            }
        };
    }

    /** The connection had room for more when its endpoint left, and carries what it carried to the end. */
    @Test
    void aConnectionOfAGoneEndpointClosesBehindItsLastStream() throws IOException {
        server.silent();
        SettableResolver resolver = new SettableResolver(SettableResolver.bound(List.of(server.port())));
        try (SeamStand stand = SeamStand.start(withResolver(resolver), 1)) {
            List<RawClient> clients = ask(stand, get(1), get(2));
            resolver.set(SettableResolver.bound(List.of(other.port())));
            assertThat(stand.get("/3").bodyText()).isEqualTo("ok");
            assertThat(other.requests()).isOne();
            FramePeer connection = server.connection(0);
            FrameServer.ok(connection, 1, "one");
            assertThat(clients.get(0).response().bodyText()).isEqualTo("one");
            assertThat(connection.isEnded()).isFalse();
            FrameServer.ok(connection, 2, "two");
            assertThat(clients.get(1).response().bodyText()).isEqualTo("two");
            Await.until("closed", connection::isEnded);
            Await.until("forgotten", () -> !stand.page("/clusters").contains(":" + server.port() + " "));
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
        }
    }

    /** Its last stream turns out to have ended in the look that comes before the next one: it was idle for a moment. */
    @Test
    void aConnectionThatWasIdleForAMomentIsIdleAgainLater() throws IOException {
        server.silent();
        HeldLoop heldLoop = new HeldLoop();
        Assembly assembly = new Frames(MANY, MANY) {
            @Override
            public Stage[] stages(ListenerConfig listener, RequestIds requestIds) {
                Stage[] shipped = super.stages(listener, requestIds);
                Stage[] all = new Stage[shipped.length + 1];
                all[0] = heldLoop;
                System.arraycopy(shipped, 0, all, 1, shipped.length);
                return all;
            }
        };
        try (SeamStand stand =
                SeamStand.start(assembly, SeamStand.config("", "timeouts: { idle: 400ms }", server.port()))) {
            RawClient first = ask(stand, get(1)).get(0);
            FramePeer connection = server.connection(0);
            RawClient second = stand.client().send(HeldLoop.REQUEST);
            heldLoop.awaitBusy();
            FrameServer.ok(connection, 1, "one");
            heldLoop.letGo();
            assertThat(first.response().bodyText()).isEqualTo("one");
            connection.awaitEnd(2);
            assertThat(stand.metric("remora_backend_connections_idle")).isZero();
            assertThat(stand.metric("remora_backend_connections_active")).isOne();
            FrameServer.ok(connection, 2, "two");
            assertThat(second.response().bodyText()).isEqualTo("two");
            assertThat(server.connections()).hasSize(1);
            // nobody needs it any longer
            Await.until("closed", connection::isEnded);
        }
    }

    // ---- towards clients

    private static Frame[] request(int stream, @Nullable String body) {
        String head = (body == null ? "GET" : "POST") + " /" + stream + " app " + (body == null ? "0" : body.length());
        return body == null
                ? new Frame[] {Frame.head(stream, head + '\n'), Frame.end(stream)}
                : new Frame[] {Frame.head(stream, head + '\n'), Frame.data(stream, body), Frame.end(stream)};
    }

    @Test
    void framesToHttp1() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.onRequest(connection -> {
                RawRequest request = connection.readRequest();
                String body = request.target() + request.bodyText();
                connection.write(
                        "HTTP/1.1 200 OK\r\nX-Back: yes\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            });
            try (SeamStand stand = SeamStand.start(toClients(), backend.port())) {
                FramePeer client = peer(stand);
                for (int stream = 1; stream <= 6; stream++) {
                    client.send(request(stream, stream % 2 == 0 ? "hello" : null));
                }
                for (int stream = 1; stream <= 6; stream++) {
                    FramePeer.Stream response = client.awaitEnd(stream);
                    assertThat(response.head()).startsWith("200 ").contains("X-Back: yes\n", "Via: 1.1 remora\n");
                    assertThat(response.body()).isEqualTo("/" + stream + (stream % 2 == 0 ? "hello" : ""));
                }
                assertThat(backend.requests()).hasSize(6).allSatisfy(seen -> {
                    assertThat(seen.fields().all("Host")).containsExactly("app");
                    assertThat(seen.field("Via")).isEqualTo("frames remora");
                    assertThat(seen.field("X-Forwarded-Host")).isEqualTo("app");
                });
                assertThat(stand.metric("remora_frontend_connections_accepted_total"))
                        .isOne();
                client.close();
            }
        }
    }

    @Test
    void trailersToHttp1AndBack() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nthere\r\n0\r\nX-End: 2\r\n\r\n");
            try (SeamStand stand = SeamStand.start(toClients(), backend.port())) {
                FramePeer client = peer(stand);
                client.send(
                        Frame.head(1, "POST /1 app -1\n"),
                        Frame.data(1, "hel"),
                        Frame.data(1, "lo"),
                        Frame.end(1, "X-Sum: 1\n"));
                FramePeer.Stream response = client.awaitEnd(1);
                assertThat(response.head()).startsWith("200 -1\n");
                assertThat(response.body()).isEqualTo("there");
                assertThat(response.trailers()).isEqualTo("X-End: 2\n");
                RawRequest seen = backend.requests().get(0);
                assertThat(seen.bodyText()).isEqualTo("hello");
                assertThat(seen.trailers().first("X-Sum")).isEqualTo("1");
                assertThat(seen.field("TE")).isEqualTo("trailers");
                client.close();
            }
        }
    }

    @Test
    void trailersFromHttp1AndBack() throws IOException {
        server.onFrame((peer, frame) -> {
            if (frame.type() == Frame.Type.END) {
                peer.send(Frame.head(1, "200 -1\n"), Frame.data(1, "there"), Frame.end(1, "X-End: 2\n"));
            }
        });
        try (SeamStand stand = SeamStand.start(toEndpoints(), server.port())) {
            RawClient client = stand.client();
            client.send("POST /1 HTTP/1.1\r\nHost: app\r\nTE: trailers\r\nConnection: TE\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n");
            RawResponse response = client.response();
            assertThat(response.bodyText()).isEqualTo("there");
            assertThat(response.trailers().first("X-End")).isEqualTo("2");
            FramePeer.Stream seen = server.connection(0).awaitEnd(1);
            assertThat(seen.body()).isEqualTo("hello");
            assertThat(seen.trailers()).isEqualTo("X-Sum: 1\n");
        }
    }

    @Test
    void framesToFrames() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(onBothSides(), server.port())) {
            FramePeer client = peer(stand);
            client.send(Frame.head(1, "POST /1 app -1\n"), Frame.data(1, "hello"), Frame.end(1, "X-Sum: 1\n"));
            client.send(request(2, null));
            client.send(request(3, "three"));
            Await.until("all are there", () -> server.requests() == 3);
            assertThat(server.connections()).hasSize(1);
            FramePeer connection = server.connection(0);
            assertThat(connection.awaitEnd(1).trailers()).isEqualTo("X-Sum: 1\n");
            assertThat(connection.stream(1).body()).isEqualTo("hello");
            connection.send(Frame.head(3, "200 -1\n"), Frame.data(3, "third"), Frame.end(3, "X-End: 3\n"));
            assertThat(client.awaitEnd(3).trailers()).isEqualTo("X-End: 3\n");
            FrameServer.ok(connection, 2, "second");
            FrameServer.ok(connection, 1, "first");
            assertThat(client.awaitEnd(2).body()).isEqualTo("second");
            assertThat(client.awaitEnd(1).body()).isEqualTo("first");
            client.close();
        }
    }

    @Test
    void aClientsResetEndsOneExchange() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(onBothSides(), server.port())) {
            FramePeer client = peer(stand);
            client.send(request(1, null));
            client.send(request(2, null));
            Await.until("both are there", () -> server.requests() == 2);
            FramePeer connection = server.connection(0);
            client.send(Frame.reset(1));
            Await.until("the server knows", () -> connection.stream(1).isReset());
            FrameServer.ok(connection, 2, "two");
            assertThat(client.awaitEnd(2).body()).isEqualTo("two");
            assertThat(connection.stream(2).isReset()).isFalse();
            stand.awaitIdle();
            assertThat(stand.failures("client-gone")).isOne();
            client.close();
        }
    }

    @Test
    void aClientThatGoesEndsAllItsExchanges() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(onBothSides(), server.port())) {
            FramePeer client = peer(stand);
            client.send(request(1, null));
            client.send(request(2, "hello"));
            Await.until("both are there", () -> server.requests() == 2);
            client.close();
            FramePeer connection = server.connection(0);
            Await.until(
                    "the server knows",
                    () -> connection.stream(1).isReset() && connection.stream(2).isReset());
            stand.awaitIdle();
            assertThat(stand.failures("client-gone")).isEqualTo(2);
            assertThat(connection.isEnded()).isFalse();
        }
    }

    /** A stream whose client gives no credit does not make its neighbours wait, and its endpoint is not read. */
    @Test
    void aStreamThatIsNotReadStallsItself() throws Exception {
        server.silent();
        try (SeamStand stand = SeamStand.start(onBothSides(), server.port())) {
            FramePeer client = peer(stand);
            client.givesCredit(false);
            client.send(request(1, null));
            Await.until("it is there", () -> server.requests() == 1);
            FramePeer connection = server.connection(0);
            byte[] body = new byte[LARGE_OCTETS];
            connection.send(Frame.head(1, "200 " + LARGE_OCTETS + '\n'));
            Thread sender = new Thread(() -> {
                try {
                    connection.sendBody(1, body);
                    connection.send(Frame.end(1));
                } catch (IOException | InterruptedException e) {
                    // the response that stays away says it
                }
            });
            sender.start();
            Await.until("its credit is used up", () -> client.stream(1).octets() == Frame.WINDOW);
            client.send(request(2, "hello"));
            connection.awaitEnd(2);
            FrameServer.ok(connection, 2, "two");
            assertThat(client.awaitEnd(2).body()).isEqualTo("two");
            assertThat(client.stream(1).octets()).isEqualTo(Frame.WINDOW);
            assertThat(stand.metric("remora_response_body_bytes_total")).isLessThan(HELD_OCTETS);
            assertThat(sender.isAlive()).isTrue();
            client.givesCredit(true);
            client.send(Frame.credit(1, Frame.WINDOW));
            assertThat(client.awaitEnd(1).octets()).isEqualTo(LARGE_OCTETS);
            sender.join(Await.TIMEOUT_MS);
            client.close();
        }
    }

    /** The same for what a client sends: its endpoint gives no credit, and so it gets none. */
    @Test
    void aStreamThatIsNotTakenStallsItself() throws Exception {
        server.silent();
        try (SeamStand stand = SeamStand.start(onBothSides(), server.port())) {
            FramePeer client = peer(stand);
            client.send(request(1, null));
            Await.until("it is there", () -> server.requests() == 1);
            FramePeer connection = server.connection(0);
            connection.givesCredit(false);
            byte[] body = new byte[LARGE_OCTETS];
            client.send(Frame.head(2, "POST /2 app " + LARGE_OCTETS + '\n'));
            Thread sender = new Thread(() -> {
                try {
                    client.sendBody(2, body);
                    client.send(Frame.end(2));
                } catch (IOException | InterruptedException e) {
                    // the request that is not whole says it
                }
            });
            sender.start();
            Await.until("its credit is used up", () -> connection.stream(2).octets() == Frame.WINDOW);
            FrameServer.ok(connection, 1, "one");
            assertThat(client.awaitEnd(1).body()).isEqualTo("one");
            assertThat(stand.metric("remora_request_body_bytes_total")).isLessThan(HELD_OCTETS);
            connection.givesCredit(true);
            connection.send(Frame.credit(2, Frame.WINDOW));
            assertThat(connection.awaitEnd(2).octets()).isEqualTo(LARGE_OCTETS);
            FrameServer.ok(connection, 2, "two");
            assertThat(client.awaitEnd(2).body()).isEqualTo("two");
            sender.join(Await.TIMEOUT_MS);
            client.close();
        }
    }

    @Test
    void aDrainLetsStreamsFinish() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(onBothSides(), server.port())) {
            FramePeer idle = peer(stand);
            FramePeer client = peer(stand);
            client.send(request(7, null));
            Await.until("it is there", () -> server.requests() == 1);
            stand.proxy().drain();
            Await.until("told", () -> client.goneAway() == 7);
            Await.until("whoever is idle is closed", idle::isEnded);
            assertThat(client.isEnded()).isFalse();
            FrameServer.ok(server.connection(0), 1, "late");
            assertThat(client.awaitEnd(7).body()).isEqualTo("late");
            Await.until("closed", client::isEnded);
        }
    }

    // ---- a connection that carries fewer than was expected

    @Test
    void nobodyWaitsForEver() throws IOException {
        server.silent();
        try (SeamStand stand = SeamStand.start(new OnlyFrames(MANY, 2), server.port())) {
            FramePeer client = peer(stand);
            client.send(sixRequests());
            Await.until("all are there", () -> server.requests() == 6);
            assertThat(server.connections()).hasSize(3).allSatisfy(connection -> assertThat(connection.streams())
                    .isEqualTo(2));
            answerAll();
            for (int stream = 1; stream <= 6; stream++) {
                assertThat(client.awaitEnd(stream).body()).isEqualTo("ok");
            }
            client.close();
        }
    }

    @Test
    void whoFindsNoRoomIsRefused() throws IOException {
        server.silent();
        try (SeamStand stand =
                SeamStand.start(new OnlyFrames(MANY, 2), SeamStand.config("", "max-connections: 2", server.port()))) {
            FramePeer client = peer(stand);
            client.send(sixRequests());
            Await.until("two are refused", () -> stand.failures("pool-exhausted") == 2);
            Await.until("four are there", () -> server.requests() == 4);
            answerAll();
            int served = 0;
            for (int stream = 1; stream <= 6; stream++) {
                String head = client.awaitEnd(stream).head();
                assertThat(head).isNotNull();
                served += head.startsWith("200 ") ? 1 : 0;
            }
            assertThat(served).isEqualTo(4);
            client.close();
        }
    }

    /** In one write, so that all of them are there before the first connection is. */
    private static Frame[] sixRequests() {
        List<Frame> frames = new ArrayList<>();
        for (int stream = 1; stream <= 6; stream++) {
            frames.addAll(List.of(request(stream, null)));
        }
        return frames.toArray(new Frame[0]);
    }
}
