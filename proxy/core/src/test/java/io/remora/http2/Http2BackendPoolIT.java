package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many connections there are to an endpoint that takes many streams on each, and how they end (RFC 9113 5.1.2, 6.8, 8.7). */
final class Http2BackendPoolIT {
    private static List<RawClient> ask(SeamStand stand, int count) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int streams = i + 1;
            clients.add(stand.client().send(Requests.get("/" + i)));
            // the last one may be answered already
            if (streams < count) {
                Await.until("a stream", () -> stand.metric("remora_backend_exchanges_in_flight") >= streams);
            }
        }
        return clients;
    }

    private static void areAnswered(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            assertThat(client.response().status()).isEqualTo(200);
        }
    }

    @Test
    void manyStreamsShareAConnection() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    for (int i = 0; i < 5; i++) {
                        peer.head();
                    }
                    for (int stream = Http2Peer.FIRST + 8; stream >= Http2Peer.FIRST; stream -= 2) {
                        peer.respond(stream, "x");
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            areAnswered(ask(stand, 5));
            assertThat(backend.connections()).isEqualTo(1);
            assertThat(stand.metric("remora_backend_http2_streams_total")).isEqualTo(5);
        }
    }

    @Test
    void asManyConnectionsAsTheEndpointsLimitAsksFor() throws Exception {
        CountDownLatch all = new CountDownLatch(5);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.MAX_CONCURRENT_STREAMS, 2);
                    int mine = connection < 3 ? 2 : 1;
                    int[] streams = new int[mine];
                    for (int i = 0; i < mine; i++) {
                        streams[i] = peer.head().stream();
                        all.countDown();
                    }
                    Await.open(all);
                    for (int stream : streams) {
                        peer.respond(stream, "x");
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            areAnswered(ask(stand, 5));
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    @Test
    void aLimitThatRisesIsMadeUseOf() throws Exception {
        CountDownLatch raised = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    assertThat(connection).isEqualTo(1);
                    peer.begin(Http2Peer.MAX_CONCURRENT_STREAMS, 1);
                    int first = peer.head().stream();
                    peer.settings(Http2Peer.MAX_CONCURRENT_STREAMS, 2);
                    peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
                    peer.next(Http2Peer.PING);
                    raised.countDown();
                    int second = peer.head().stream();
                    peer.respond(second, "x").respond(first, "x").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient first = stand.client().send(Requests.get("/1"));
            Await.open(raised);
            assertThat(stand.get("/2").status()).isEqualTo(200);
            assertThat(first.response().status()).isEqualTo(200);
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** Its waiter asked for a second connection, of which the endpoint says nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEndOfAStreamMakesRoomForOneThatWaits(boolean resets) throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    if (connection > 1) {
                        waits.countDown();
                        peer.awaitEnd();
                        return;
                    }
                    peer.begin(Http2Peer.MAX_CONCURRENT_STREAMS, 1);
                    int first = peer.head().stream();
                    asked.countDown();
                    Await.open(waits);
                    if (resets) {
                        peer.reset(first, Http2Peer.INTERNAL_ERROR);
                    } else {
                        peer.respond(first, "first");
                    }
                    peer.respond(peer.head().stream(), "second").awaitEnd();
                });
                SeamStand stand = SeamStand.before("timeouts: {connect: 2s}", backend)) {
            RawClient first = stand.client().send(Requests.get("/1"));
            Await.open(asked);
            RawClient second = stand.client().send(Requests.get("/2"));
            assertThat(first.response().status()).isEqualTo(resets ? 502 : 200);
            assertThat(second.response().bodyText()).isEqualTo("second");
            assertThat(stand.metric("remora_backend_http2_streams_total")).isEqualTo(2);
            assertThat(stand.repicks()).isZero();
        }
    }

    @Test
    void ourOwnLimitHoldsWhereTheEndpointHasNone() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    both.countDown();
                    Await.open(both);
                    peer.respond(stream, "x").awaitEnd();
                });
                SeamStand stand = SeamStand.before("http2: {max-streams: 1}", backend)) {
            areAnswered(ask(stand, 2));
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    @Test
    void goAwayLetsGoOnWhatIsBelowItAndRepicksWhatIsAbove() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int first = peer.head().stream();
                    if (connection > 1) {
                        peer.respond(first, "again").awaitEnd();
                        return;
                    }
                    peer.head();
                    peer.goAway(first, 0).respond(first, "first").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient first = ask(stand, 1).get(0);
            // never idempotent, and sent again all the same: the endpoint says that it has not looked at it
            RawResponse second =
                    stand.client().send(Requests.post("/", "12345")).response();
            assertThat(first.response().bodyText()).isEqualTo("first");
            assertThat(second.status()).isEqualTo(503);
            assertThat(stand.metric("remora_backend_http2_refused_streams_total"))
                    .isEqualTo(1);
            assertThat(stand.metric("remora_backend_http2_goaways_total", "endpoint"))
                    .isEqualTo(1);
            assertThat(stand.get("/").bodyText()).isEqualTo("again");
        }
    }

    /** Without a body nothing of it has begun to go out, and any method may follow. */
    private static void isRepeated(Http2Backend.Script refusal) throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    assertThat(head.value(":method")).isEqualTo("POST");
                    if (connection == 1) {
                        refusal.run(peer, head.stream());
                        if (head.stream() > 0) {
                            peer.awaitEnd();
                        }
                    } else {
                        peer.respond(head.stream(), "again").awaitEnd();
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.client()
                    .send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n")
                    .response();
            assertThat(response.bodyText()).isEqualTo("again");
            assertThat(stand.failures()).isZero();
        }
    }

    @Test
    void goAwayAboveAPostIsRepeated() throws IOException {
        isRepeated((peer, stream) -> peer.goAway(0, 0));
    }

    @Test
    void aRefusedPostIsRepeated() throws IOException {
        isRepeated((peer, stream) -> peer.reset(stream, Http2Peer.REFUSED_STREAM));
    }

    @Test
    void anotherResetIsAFailureOfThisStreamOnly() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    peer.reset(peer.head().stream(), Http2Peer.INTERNAL_ERROR);
                    peer.respond(peer.head().stream(), "well").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.get("/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("remora-error")).isEqualTo("stream-reset");
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
            assertThat(backend.connections()).isEqualTo(1);
            assertThat(stand.metric("remora_backend_http2_resets_total", "endpoint"))
                    .isEqualTo(1);
            assertThat(stand.metric("remora_endpoint_outcomes_total", "\"failure\""))
                    .isEqualTo(1);
        }
    }

    @Test
    void aResetBehindTheHeadCutsTheResponse() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200").data(stream, false, "part");
                    peer.reset(stream, Http2Peer.INTERNAL_ERROR).awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            String all = new String(stand.client().send(Requests.get("/")).readToEnd());
            assertThat(all).doesNotEndWith("0\r\n\r\n");
            assertThat(stand.failures("stream-reset")).isEqualTo(1);
        }
    }

    @Test
    void aCutConnectionBreaksAllItsStreams() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    peer.head();
                    peer.head();
                    peer.head();
                });
                SeamStand stand = SeamStand.before(backend)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int streams = i + 1;
                clients.add(stand.client().send(Requests.post("/", "")));
                if (i < 2) {
                    Await.until("a stream", () -> stand.metric("remora_backend_exchanges_in_flight") >= streams);
                }
            }
            for (RawClient client : clients) {
                assertThat(client.response().field("remora-error")).isEqualTo("backend-closed");
            }
        }
    }

    @Test
    void anIdleConnectionSaysGoodbye() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    peer.respond(peer.head().stream(), "x");
                    assertThat(peer.next(Http2Peer.GOAWAY).number(4)).isZero();
                    said.countDown();
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before("timeouts: {idle: 50ms}", backend)) {
            assertThat(stand.get("/").status()).isEqualTo(200);
            Await.open(said);
        }
    }

    @Test
    void anOldConnectionTakesNoFurtherStream() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    while (true) {
                        Http2Peer.Frame frame = peer.read();
                        if (frame == null) {
                            return;
                        }
                        if (frame.type() == Http2Peer.HEADERS) {
                            peer.respond(frame.stream(), "x");
                        }
                    }
                });
                SeamStand stand = SeamStand.before("timeouts: {max-connection-age: 50ms}", backend)) {
            Await.until("a second connection", () -> {
                assertThat(stand.get("/").status()).isEqualTo(200);
                return backend.connections() > 1;
            });
        }
    }

    @Test
    void healthChecksLeaveNoConnectionBehind() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    assertThat(head.value(":path")).isEqualTo("/health");
                    peer.respond(head.stream(), "well").awaitEnd();
                });
                SeamStand stand =
                        SeamStand.before("health-check: {path: /health, interval: 100ms, timeout: 90ms}", backend)) {
            Await.until("several checks", () -> stand.metric("remora_cluster_health_checks_total", "success") > 3);
            assertThat(stand.metric("remora_backend_connections_idle")).isLessThan(2);
        }
    }

    @Test
    void cve202650560_aHeadThatTheEndpointWouldNotTakeIsNotSent() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.MAX_HEADER_LIST_SIZE, 1);
                    Http2Peer.Frame frame = peer.read();
                    while (frame != null) {
                        assertThat(frame.type()).isNotEqualTo(Http2Peer.HEADERS);
                        frame = peer.read();
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("headers-too-large");
        }
    }

    @Test
    void anEndpointThatTakesNoStreamsIsNotTalkedTo() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.MAX_CONCURRENT_STREAMS, 0);
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("handshake-failed");
        }
    }

    @Test
    void anEndpointThatSpeaksHttp1IsNotTalkedTo() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes());
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("handshake-failed");
        }
    }

    @Test
    void anEndpointThatSaysNothingIsWaitedForAsLongAsForAConnection() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> peer.awaitEnd());
                SeamStand stand = SeamStand.before("timeouts: {connect: 100ms}", backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("connect-timeout");
        }
    }

    @Test
    void aConnectionOnWhichNothingCameInTimeGetsNoFurtherRequest() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    if (connection == 1) {
                        // as if the machine were gone
                        peer.awaitEnd();
                    }
                    peer.respond(stream, "well").awaitEnd();
                });
                SeamStand stand = SeamStand.before("timeouts: {response-header: 100ms}", backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("response-timeout");
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
            assertThat(stand.metric("remora_backend_http2_connections_ended_total", "silence"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aSlowStreamIsNoReasonToGiveUpItsConnection() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    assertThat(connection).isEqualTo(1);
                    peer.begin();
                    int slow = peer.head().stream();
                    peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
                    assertThat(peer.next(Http2Peer.RST_STREAM).stream()).isEqualTo(slow);
                    peer.respond(peer.head().stream(), "well").awaitEnd();
                });
                SeamStand stand = SeamStand.before("timeouts: {response-header: 100ms}", backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("response-timeout");
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
        }
    }

    @Test
    void anEndpointIsAskedWhetherItIsStillThere() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    peer.head();
                    Http2Peer.Frame ping = peer.next(Http2Peer.PING);
                    assertThat(ping.flags()).isZero();
                    peer.frame(Http2Peer.PING, 1, 0, ping.payload());
                    // the next one is not answered
                    peer.next(Http2Peer.PING);
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before("http2: {keep-alive: 50ms}", backend)) {
            assertThat(stand.client().send(Requests.post("/", "")).response().field("remora-error"))
                    .isEqualTo("backend-closed");
            assertThat(stand.metric("remora_backend_http2_connections_ended_total", "silence"))
                    .isEqualTo(1);
        }
    }
}
