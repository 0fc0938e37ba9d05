package io.remora.http2;

import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.Http2Streams;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams that share a client's connection and an endpoint's: each goes on, stalls and ends by itself. */
final class Http2MultiplexIT {
    private static final String HTTP2 = "protocol: http2";
    /** Far more than buffers hold. */
    private static final int LARGE = 2 << 20;
    /** More than all that stands between a client and an endpoint that does not read may hold. */
    private static final int HELD = 512 << 10;
    /** The content that the sidecar lets a client send of a request before it takes any of it. */
    private static final int FIRST_WINDOW = 16 << 10;

    private static final int PIECE = 16 << 10;

    private final Http2Streams endpoint = Http2Streams.start();

    @AfterEach
    void close() {
        endpoint.close();
    }

    private SeamStand stand() {
        return SeamStand.start(HTTP2, HTTP2, endpoint.port());
    }

    private static String[] head(String method, String path) {
        return new String[] {":method", method, ":scheme", "http", ":authority", "app", ":path", path};
    }

    private static void get(FrameClient client, int stream) throws IOException {
        client.headers(stream, true, head("GET", "/" + stream));
    }

    private static void post(FrameClient client, int stream) throws IOException {
        client.headers(stream, false, head("POST", "/" + stream)).data(stream, true, "hello");
    }

    private void awaitRequests(int count) {
        Await.until(count + " are there", () -> endpoint.requests() == count);
    }

    @Test
    void eachStreamGetsItsOwnResponseAndTrailers() throws IOException {
        try (SeamStand stand = stand();
                FrameClient client = FrameClient.connect(stand.address())) {
            client.headers(1, false, head("POST", "/1")).data(1, false, "hello").headers(1, true, "x-sum", "1");
            get(client, 3);
            post(client, 5);
            awaitRequests(3);
            assertThat(endpoint.connections()).hasSize(1);
            Http2Streams.Connection connection = endpoint.connection(0);
            assertThat(connection.whole("/1").trailer("x-sum")).isEqualTo("1");
            assertThat(connection.whole("/1").body()).isEqualTo("hello");
            int last = connection.whole("/5").number();
            connection
                    .peer()
                    .headers(last, false, ":status", "200")
                    .data(last, false, "third")
                    .headers(last, true, "x-end", "3");
            FrameClient.Answer third = client.answer(5);
            assertThat(third.text()).isEqualTo("third");
            assertThat(third.sections.get(1)).containsEntry("x-end", "3");
            connection.respond(connection.whole("/3"), "second");
            connection.respond(connection.whole("/1"), "first");
            assertThat(client.answer(3).text()).isEqualTo("second");
            assertThat(client.answer(1).text()).isEqualTo("first");
        }
    }

    @Test
    void aClientsResetEndsOneExchange() throws IOException {
        try (SeamStand stand = stand();
                FrameClient client = FrameClient.connect(stand.address())) {
            get(client, 1);
            get(client, 3);
            awaitRequests(2);
            Http2Streams.Connection connection = endpoint.connection(0);
            client.reset(1, FrameClient.CANCEL);
            Await.until("the endpoint knows", connection.stream("/1")::isReset);
            connection.respond(connection.whole("/3"), "two");
            assertThat(client.answer(3).text()).isEqualTo("two");
            assertThat(connection.stream("/3").isReset()).isFalse();
            stand.awaitIdle();
            assertThat(stand.failures("client-gone")).isOne();
        }
    }

    @Test
    void aClientThatGoesEndsAllItsExchanges() throws IOException {
        try (SeamStand stand = stand()) {
            FrameClient client = FrameClient.connect(stand.address());
            get(client, 1);
            post(client, 3);
            awaitRequests(2);
            Http2Streams.Connection connection = endpoint.connection(0);
            client.close();
            Await.until("the endpoint knows of one", connection.stream("/1")::isReset);
            Await.until("the endpoint knows of both", connection.stream("/3")::isReset);
            stand.awaitIdle();
            assertThat(stand.failures("client-gone")).isEqualTo(2);
            assertThat(connection.isEnded()).isFalse();
        }
    }

    /** A stream whose client gives no credit does not make its neighbours wait, and its endpoint is not read. */
    @Test
    void aStreamThatIsNotReadStallsItself() throws Exception {
        try (SeamStand stand = stand();
                FrameClient client = FrameClient.connect(stand.address())) {
            client.windowUpdate(0, LARGE);
            get(client, 1);
            awaitRequests(1);
            Http2Streams.Connection connection = endpoint.connection(0);
            Http2Streams.Stream large = connection.whole("/1");
            connection.peer().headers(large.number(), false, ":status", "200");
            Thread sender = new Thread(() -> {
                try {
                    connection.sendBody(large, LARGE);
                } catch (IOException | InterruptedException e) {
                    // the response that stays away says it
                }
            });
            sender.start();
            while (client.so(1).body.size() < Http2Streams.WINDOW) {
                assertThat(client.read()).isNotNull();
            }
            post(client, 3);
            connection.respond(connection.whole("/3"), "two");
            assertThat(client.answer(3).text()).isEqualTo("two");
            assertThat(client.so(1).body.size()).isEqualTo(Http2Streams.WINDOW);
            assertThat(stand.metric("remora_response_body_bytes_total")).isLessThan(HELD);
            assertThat(sender.isAlive()).isTrue();
            client.windowUpdate(1, LARGE);
            assertThat(client.answer(1).body.size()).isEqualTo(LARGE);
            sender.join(Await.TIMEOUT_MS);
        }
    }

    /** The same for what a client sends: its endpoint gives no credit, and so it gets none. */
    @Test
    void aStreamThatIsNotTakenStallsItself() throws IOException {
        try (SeamStand stand = stand();
                FrameClient client = FrameClient.connect(stand.address())) {
            get(client, 1);
            awaitRequests(1);
            Http2Streams.Connection connection = endpoint.connection(0);
            connection.holdsBack(true);
            client.headers(3, false, with(head("POST", "/3"), "content-length", "" + LARGE));
            int sent = send(client, 3, 0);
            while (sent < Http2Streams.WINDOW) {
                assertThat(client.read()).isNotNull();
                sent = send(client, 3, sent);
            }
            Http2Streams.Stream large = connection.stream("/3");
            Await.until("its credit is used up", () -> large.octets() == Http2Streams.WINDOW);
            connection.respond(connection.whole("/1"), "one");
            assertThat(client.answer(1).text()).isEqualTo("one");
            assertThat(stand.metric("remora_request_body_bytes_total")).isLessThan(HELD);
            connection.holdsBack(false);
            connection.peer().windowUpdate(large.number(), Http2Streams.WINDOW);
            sent = send(client, 3, sent);
            while (sent < LARGE) {
                assertThat(client.read()).isNotNull();
                sent = send(client, 3, sent);
            }
            connection.respond(connection.whole("/3"), "two");
            assertThat(client.answer(3).text()).isEqualTo("two");
            assertThat(large.octets()).isEqualTo(LARGE);
        }
    }

    /** Sends what the windows allow of a body of which so much is sent; tells how much is sent then. */
    private static int send(FrameClient client, int stream, int sent) throws IOException {
        int now = sent;
        while (true) {
            int window = Math.min(FIRST_WINDOW + client.credit(stream), Http2Streams.WINDOW + client.credit(0)) - now;
            int length = Math.min(Math.min(PIECE, LARGE - now), window);
            if (length <= 0) {
                return now;
            }
            now += length;
            client.data(stream, now == LARGE, new byte[length]);
        }
    }

    // ---- connections that carry few streams

    /** In one write, so that all of them are there before the first connection is. */
    private static void sendSix(FrameClient client) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int stream = 1; stream < 13; stream += 2) {
            all.writeBytes(FrameClient.frame(
                    FrameClient.HEADERS,
                    FrameClient.END_HEADERS | FrameClient.END_STREAM,
                    stream,
                    FrameClient.block(head("GET", "/" + stream))));
        }
        client.send(all.toByteArray());
    }

    @Test
    void streamsBeyondALimitGetConnectionsOfTheirOwn() throws IOException {
        try (Http2Streams two = Http2Streams.start(Http2Peer.MAX_CONCURRENT_STREAMS, 2);
                SeamStand stand = SeamStand.start(HTTP2, HTTP2, two.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            sendSix(client);
            Await.until("all are there", () -> two.requests() == 6);
            assertThat(two.connections()).hasSize(3).allSatisfy(connection -> assertThat(connection.streams())
                    .isEqualTo(2));
            two.respondAll("ok");
            for (int stream = 1; stream < 13; stream += 2) {
                assertThat(client.answer(stream).text()).isEqualTo("ok");
            }
        }
    }

    @Test
    void streamsBeyondTheMostConnectionsAreRefused() throws IOException {
        try (Http2Streams two = Http2Streams.start(Http2Peer.MAX_CONCURRENT_STREAMS, 2);
                SeamStand stand = SeamStand.start(HTTP2, HTTP2 + "\nmax-connections: 2", two.port());
                FrameClient client = FrameClient.connect(stand.address())) {
            sendSix(client);
            Await.until("two are refused", () -> stand.failures("pool-exhausted") == 2);
            Await.until("four are there", () -> two.requests() == 4);
            two.respondAll("ok");
            int served = 0;
            for (int stream = 1; stream < 13; stream += 2) {
                served += client.answer(stream).status() == 200 ? 1 : 0;
            }
            assertThat(served).isEqualTo(4);
        }
    }

    /** The exchange is over, and its response waits for the client's window. */
    @Test
    void trailersThatAreTooLargeBehindTheResponseCostNoMoreThanTheStream() throws Exception {
        try (Http2Backend early = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    peer.respond(peer.head().stream(), "whole").awaitEnd();
                });
                SeamStand seam = SeamStand.start("protocol: http2", "protocol: http2", early.port());
                FrameClient reader = FrameClient.raw(seam.address()).begin(Http2Peer.INITIAL_WINDOW_SIZE, 1)) {
            reader.headers(1, false, POST);
            while (reader.so(1).body.size() < 1) {
                reader.read();
            }
            seam.awaitIdle();
            String more = "a".repeat(15_000);
            reader.largeHeaders(1, "x", more, "y", more, "z", more);
            assertThat(reader.answer(1).reset).isEqualTo(PROTOCOL_ERROR);
            assertThat(reader.barrier().so(1).sections).hasSize(1);
            assertThat(seam.metric("remora_exchanges_started_total")).isEqualTo(1);
            assertThat(seam.failures()).isZero();
        }
    }
}
