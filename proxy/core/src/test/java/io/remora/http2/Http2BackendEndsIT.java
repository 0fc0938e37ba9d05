package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import io.remora.transport.Loop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is told of a request that could not go out whole, and whether it is sent again (RFC 9113 sections 5.1 and 8.1). */
final class Http2BackendEndsIT {
    /** An upload of 100 octets, of which the endpoint's window lets ten pass. */
    private static RawResponse blockedUpload(Http2Backend.Script script) throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.INITIAL_WINDOW_SIZE, 10);
                    int stream = peer.head().stream();
                    assertThat(peer.next(Http2Peer.DATA).payload()).hasSize(10);
                    script.run(peer, stream);
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response =
                    stand.client().send(Requests.post("/", "x".repeat(100))).response();
            assertThat(stand.failures()).isEqualTo(response.status() == 413 ? 0 : 1);
            return response;
        }
    }

    @Test
    void aResponseIsNotLostToARequestThatCannotGoOut() throws Exception {
        RawResponse response = blockedUpload((peer, stream) -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(Http2Peer.octets(Http2Peer.HEADERS, 4, stream, Http2Peer.block(":status", "413")));
            all.writeBytes(Http2Peer.octets(Http2Peer.DATA, 1, stream, "too much".getBytes()));
            all.writeBytes(Http2Peer.octets(Http2Peer.RST_STREAM, 0, stream, new byte[4]));
            peer.raw(all.toByteArray()).awaitEnd();
        });
        assertThat(response.status()).isEqualTo(413);
        assertThat(response.bodyText()).isEqualTo("too much");
    }

    @Test
    void anEndWhileARequestWaitsForItsWindowIsNoRefusal() throws Exception {
        RawResponse response = blockedUpload((peer, stream) -> peer.finish());
        assertThat(response.status()).isEqualTo(502);
        assertThat(response.field("remora-error")).isEqualTo("backend-closed");
    }

    @Test
    void whatHasBegunToGoOutIsNotRepeatedForItsTrailers() throws Exception {
        AtomicInteger heads = new AtomicInteger();
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.MAX_HEADER_LIST_SIZE, 1_000);
                    Http2Peer.Frame frame = peer.read();
                    while (frame != null) {
                        if (frame.type() == Http2Peer.HEADERS) {
                            heads.incrementAndGet();
                        }
                        frame = peer.read();
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.client()
                    .send("POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: "
                            + "7".repeat(1_000) + "\r\n\r\n")
                    .response();
            assertThat(response.field("remora-error")).isEqualTo("headers-too-large");
            assertThat(stand.retries()).isZero();
        }
        assertThat(heads).hasValue(1);
    }

    /** The response is in the kernel when the rest of the request can no longer be written. */
    @Test
    void aResponseIsNotLostToAWriteThatFails() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.next(Http2Peer.DATA);
                    begun.countDown();
                    Await.open(sent);
                    peer.headers(stream, false, ":status", "413", "content-length", "8")
                            .data(stream, true, "too much");
                    peer.abort();
                    answered.countDown();
                });
                SeamStand stand =
                        SeamStand.start(new Seams(), SeamStand.config("", "protocol: http2", backend.port()))) {
            RawClient client = stand.client().send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 100\r\n\r\nx");
            Await.open(begun);
            for (Loop loop : stand.loops()) {
                CountDownLatch held = new CountDownLatch(1);
                loop.eventLoop().execute(() -> {
                    held.countDown();
                    Await.open(answered);
                });
                Await.open(held);
            }
            client.send("y");
            sent.countDown();
            RawResponse response = client.response();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.bodyText()).isEqualTo("too much");
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void aHeadThatIsTooLargeIsTheClientsFault() throws Exception {
        Http2Backend.Script script = (peer, connection) -> {
            peer.begin(Http2Peer.MAX_HEADER_LIST_SIZE, 1_000);
            Http2Peer.Frame frame = peer.read();
            while (frame != null) {
                if (frame.type() == Http2Peer.HEADERS) {
                    assertThat(frame.payload()).hasSizeLessThan(1_000);
                    peer.respond(frame.stream(), "well");
                }
                frame = peer.read();
            }
        };
        try (Http2Backend one = Http2Backend.start(script);
                Http2Backend other = Http2Backend.start(script);
                SeamStand stand = SeamStand.before(one, other)) {
            RawResponse response = stand.client()
                    .send("GET / HTTP/1.1\r\nHost: app\r\nX-Large: " + "7".repeat(1_000) + "\r\n\r\n")
                    .response();
            assertThat(response.status()).isEqualTo(431);
            assertThat(response.field("remora-error")).isEqualTo("headers-too-large");
            assertThat(stand.repicks() + stand.retries()).isZero();
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isZero();
            assertThat(one.connections() + other.connections()).isEqualTo(1);
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
        }
    }

    /** The connection is as good as before, and only what is not whole needs a reset. */
    @Test
    void aRetryByStatusKeepsItsConnection() throws Exception {
        AtomicInteger resets = new AtomicInteger();
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    assertThat(connection).isEqualTo(1);
                    peer.begin();
                    int whole = peer.head().stream();
                    peer.headers(whole, true, ":status", "503");
                    Http2Peer.Frame frame = peer.read();
                    while (frame.type() != Http2Peer.HEADERS) {
                        resets.addAndGet(frame.type() == Http2Peer.RST_STREAM ? 1 : 0);
                        frame = peer.read();
                    }
                    peer.headers(frame.stream(), false, ":status", "503");
                    Http2Peer.Frame reset = peer.next(Http2Peer.RST_STREAM);
                    assertThat(reset.stream()).isEqualTo(frame.stream());
                    assertThat(reset.number(0)).isEqualTo(Http2Peer.CANCEL);
                    peer.respond(peer.head().stream(), "well").awaitEnd();
                });
                SeamStand stand = SeamStand.before("retries: {back-off: 1ms, attempts: 3}", backend)) {
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
            assertThat(backend.connections()).isEqualTo(1);
            assertThat(resets).hasValue(0);
        }
    }
}
