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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a request becomes that goes to an endpoint in HTTP/2, and what its response becomes (RFC 9113 section 8). */
final class Http2BackendIT {
    private static final int SECONDS = 10;

    private final BlockingQueue<Http2Peer.Head> heads = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();

    // answers every request once it is whole
    private void answering(Http2Peer peer, int connection) throws IOException {
        peer.begin();
        while (true) {
            Http2Peer.Head head = peer.head();
            heads.add(head);
            bodies.add(head.isLast() ? "" : new String(peer.body(head.stream())));
            peer.respond(head.stream(), "hello");
        }
    }

    private Http2Peer.Head head() throws InterruptedException {
        Http2Peer.Head head = heads.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(head).isNotNull();
        return head;
    }

    private static Http2Backend.Script tolerant(Http2Backend.Script script) {
        return (peer, connection) -> {
            try {
                script.run(peer, connection);
            } catch (AssertionError e) {
                if (!String.valueOf(e.getMessage()).startsWith("closed before")) {
                    throw e;
                }
            }
        };
    }

    private Http2Backend answering() {
        return Http2Backend.start(tolerant(this::answering));
    }

    /** One exchange with what the script says once the request's head is there. */
    private static RawResponse exchange(String request, String method, Http2Backend.Script script) throws IOException {
        try (Http2Backend backend = Http2Backend.start(tolerant(script));
                SeamStand stand = SeamStand.before(backend)) {
            return stand.client().send(request).response(method);
        }
    }

    private static RawResponse answered(String... headAndMore) throws IOException {
        return exchange(Requests.get("/"), "GET", (peer, connection) -> {
            peer.begin();
            peer.headers(peer.head().stream(), true, headAndMore).awaitEnd();
        });
    }

    @Test
    void pseudoFieldsSayWhatTheRequestLineAndHostSay() throws Exception {
        try (Http2Backend backend = answering();
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.client()
                    .send("GET /a/%2e?b=c;d HTTP/1.1\r\nHost: App.test:81\r\nX-Custom: One\r\nCookie: a=1; b=2\r\n\r\n")
                    .response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.bodyText()).isEqualTo("hello");
            assertThat(response.field("via")).isEqualTo("2.0 remora");
            Http2Peer.Head head = head();
            assertThat(head.isLast()).isTrue();
            assertThat(head.lines().subList(0, 4))
                    .containsExactly(":method: GET", ":scheme: http", ":authority: App.test:81", ":path: /a/%2e?b=c;d");
            assertThat(head.value("x-custom")).isEqualTo("One");
            assertThat(head.value("cookie")).isEqualTo("a=1; b=2");
            assertThat(head.value("via")).isEqualTo("1.1 remora");
            assertThat(head.value("host")).isNull();
            assertThat(head.value("te")).isNull();
            assertThat(head.lines()).allSatisfy(line -> assertThat(line.substring(0, line.indexOf(": ")))
                    .isLowerCase());
        }
    }

    @Test
    void optionsOfTheWholeServerKeepsItsAsterisk() throws Exception {
        try (Http2Backend backend = answering();
                SeamStand stand = SeamStand.before(backend)) {
            stand.client().send("OPTIONS * HTTP/1.1\r\nHost: app\r\n\r\n").response();
            assertThat(head().value(":path")).isEqualTo("*");
        }
    }

    @Test
    void fieldsOfTheClientsConnectionStayBehind() throws Exception {
        try (Http2Backend backend = answering();
                SeamStand stand = SeamStand.before(backend)) {
            stand.client()
                    .send("POST / HTTP/1.1\r\nHost: app\r\nConnection: X-Mine, keep-alive, TE\r\nX-Mine: 1\r\n"
                            + "Keep-Alive: 5\r\nProxy-Connection: x\r\nTE: trailers, deflate\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                    .response();
            Http2Peer.Head head = head();
            for (String gone : List.of(
                    "connection", "x-mine", "keep-alive", "proxy-connection", "transfer-encoding", "content-length")) {
                assertThat(head.value(gone)).as(gone).isNull();
            }
            assertThat(head.value("te")).isEqualTo("trailers");
            assertThat(bodies.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo("hello");
        }
    }

    @Test
    void contentLengthStaysWhereItIsKnown() throws Exception {
        try (Http2Backend backend = answering();
                SeamStand stand = SeamStand.before(backend)) {
            stand.client().send(Requests.post("/", "12345")).response();
            assertThat(head().value("content-length")).isEqualTo("5");
            assertThat(bodies.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo("12345");
        }
    }

    @Test
    void anUpgradeGoesAsARequestWithoutOne() throws Exception {
        try (Http2Backend backend = answering();
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.client()
                    .send("GET / HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                    .response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(head().value("upgrade")).isNull();
        }
    }

    @Test
    void trailersPassBothWays() throws Exception {
        List<String> received = new ArrayList<>();
        RawResponse response = exchange(
                "POST / HTTP/1.1\r\nHost: app\r\nTE: trailers\r\nConnection: TE\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "2\r\nhi\r\n0\r\nX-Sum: 7\r\nAuthorization: no\r\n\r\n",
                "POST",
                (peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    assertThat(peer.next(Http2Peer.DATA).isLast()).isFalse();
                    Http2Peer.Head trailers = peer.head();
                    assertThat(trailers.isLast()).isTrue();
                    received.addAll(trailers.lines());
                    peer.headers(stream, false, ":status", "200").data(stream, false, "yes");
                    peer.headers(stream, true, "x-check", "9", "set-cookie", "a=b")
                            .awaitEnd();
                });
        assertThat(received).containsExactly("x-sum: 7");
        assertThat(response.bodyText()).isEqualTo("yes");
        assertThat(response.trailers().first("x-check")).isEqualTo("9");
        assertThat(response.trailers().first("set-cookie")).isNull();
    }

    @Test
    void interimResponsesGoBefore() throws Exception {
        RawResponse response = exchange(Requests.get("/"), "GET", (peer, connection) -> {
            peer.begin();
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "103", "link", "</a>").headers(stream, false, ":status", "102");
            peer.respond(stream, "x").awaitEnd();
        });
        assertThat(response.interim()).extracting(RawResponse::status).containsExactly(103, 102);
        assertThat(response.bodyText()).isEqualTo("x");
    }

    @Test
    void anExpectationIsTheEndpointsToMeet() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    Http2Peer.Head head = peer.head();
                    assertThat(head.value("expect")).isEqualTo("100-continue");
                    peer.headers(head.stream(), false, ":status", "100");
                    assertThat(new String(peer.body(head.stream()))).isEqualTo("12345");
                    peer.respond(head.stream(), "done").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = stand.client()
                    .send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
            assertThat(client.responseHead().status()).isEqualTo(100);
            assertThat(client.send("12345").response().bodyText()).isEqualTo("done");
        }
    }

    @Test
    void headHasALengthAndNoContent() throws Exception {
        RawResponse response = exchange("HEAD / HTTP/1.1\r\nHost: app\r\n\r\n", "HEAD", (peer, connection) -> {
            peer.begin();
            int stream = peer.head().stream();
            peer.headers(stream, true, ":status", "200", "content-length", "500")
                    .awaitEnd();
        });
        assertThat(response.field("content-length")).isEqualTo("500");
    }

    @Test
    void anEmptyFrameMayEndAResponseWithoutContent() throws Exception {
        RawResponse response = exchange(Requests.get("/"), "GET", (peer, connection) -> {
            peer.begin();
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "304", "content-length", "500")
                    .data(stream, true, "")
                    .awaitEnd();
        });
        assertThat(response.status()).isEqualTo(304);
    }

    @Test
    void aHeadThatIsAllHasNoContent() throws Exception {
        assertThat(answered(":status", "200").field("content-length")).isEqualTo("0");
        assertThat(answered(":status", "404", "content-length", "0").status()).isEqualTo(404);
        assertThat(answered(":status", "204").field("content-length")).isNull();
        RawResponse toHead = exchange("HEAD / HTTP/1.1\r\nHost: app\r\n\r\n", "HEAD", (peer, connection) -> {
            peer.begin();
            peer.headers(peer.head().stream(), true, ":status", "200").awaitEnd();
        });
        assertThat(toHead.field("content-length")).isNull();
    }

    @Test
    void contentOfNoKnownLengthIsChunked() throws Exception {
        RawResponse response = exchange(Requests.get("/"), "GET", (peer, connection) -> {
            peer.begin();
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "200")
                    .data(stream, false, "a")
                    .data(stream, true, "b");
            peer.awaitEnd();
        });
        assertThat(response.field("transfer-encoding")).isEqualTo("chunked");
        assertThat(response.bodyText()).isEqualTo("ab");
    }

    @Test
    void anEarlyResponseIsNotLostToTheRestOfTheRequest() throws Exception {
        RawResponse response = exchange(
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 100000\r\n\r\nhalf", "POST", (peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    // RFC 9113 8.1: whole, and then the request for the rest to stop
                    peer.headers(stream, false, ":status", "413").data(stream, true, "too much");
                    peer.reset(stream, 0).awaitEnd();
                });
        assertThat(response.status()).isEqualTo(413);
        assertThat(response.bodyText()).isEqualTo("too much");
        assertThat(response.field("connection")).isEqualTo("close");
    }

    @Test
    void aClientThatLeavesCancelsItsStreamAndNoOther() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int first = peer.head().stream();
                    int second = peer.head().stream();
                    peer.headers(first, false, ":status", "200").data(first, false, "a");
                    Http2Peer.Frame reset = peer.next(Http2Peer.RST_STREAM);
                    assertThat(reset.stream()).isEqualTo(first);
                    assertThat(reset.number(0)).isEqualTo(Http2Peer.CANCEL);
                    // what was on its way harms nobody
                    peer.data(first, true, "late");
                    peer.respond(second, "other").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient first = stand.client().send(Requests.get("/1"));
            assertThat(backendHas(stand, 1)).isTrue();
            RawClient second = stand.client().send(Requests.get("/2"));
            assertThat(first.responseHead().status()).isEqualTo(200);
            first.reset();
            assertThat(second.response().bodyText()).isEqualTo("other");
            assertThat(stand.metric("remora_backend_http2_resets_total", "sidecar"))
                    .isEqualTo(1);
        }
    }

    private static boolean backendHas(SeamStand stand, int streams) {
        return Await.within(Await.TIMEOUT_MS, () -> stand.metric("remora_backend_exchanges_in_flight") == streams);
    }

    /** CVE-2026-93492: an endpoint that offers a table of two gigabytes gets the same field section each time. */
    @Test
    void nothingIsKeptOfARequestsFields() throws Exception {
        List<byte[]> blocks = new CopyOnWriteArrayList<>();
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.HEADER_TABLE_SIZE, Integer.MAX_VALUE);
                    Http2Peer.Frame frame = peer.read();
                    while (frame != null) {
                        if (frame.type() == Http2Peer.HEADERS) {
                            blocks.add(frame.payload());
                            peer.respond(frame.stream(), "x");
                        }
                        frame = peer.read();
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            StringBuilder fields = new StringBuilder();
            for (int i = 0; i < 80; i++) {
                fields.append("X-").append(i).append(": ").append("v".repeat(i)).append("\r\n");
            }
            String request = "GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n";
            for (int i = 0; i < 3; i++) {
                assertThat(stand.client().send(request).response().status()).isEqualTo(200);
            }
        }
        // the first one begins with a size of nothing for the table
        byte[] first = blocks.get(0);
        assertThat(first[0]).isEqualTo((byte) 0x20);
        // the request ID is another one of 32 digits each time
        for (byte[] next : blocks.subList(1, 3)) {
            assertThat(next).hasSize(first.length - 1);
            assertThat(Arrays.copyOf(next, 3_000)).isEqualTo(Arrays.copyOfRange(first, 1, 3_001));
        }
    }
}
