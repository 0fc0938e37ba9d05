package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.Requests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Windows in both directions are back-pressure, a stream's own (RFC 9113 5.2). */
final class Http2BackendFlowIT {
    /** Far more than all buffers on the way hold. */
    private static final int LARGE = 64 << 20;

    /** More than they hold, and as much as a server that answers each frame takes in a second. */
    private static final int UPLOAD = 8 << 20;

    private static final int PIECE = 16_384;
    /** Of a stream and of a connection, where settings say nothing. */
    private static final int FIRST_WINDOW = 65_535;

    private static final int TURNS = 200;
    /** What of a request has been read whose endpoint takes no more than its first window. */
    private static final long HELD = 512 << 10;

    private static final int WINDOW = 32 << 10;

    private static Http2Peer.Frame nextOf(Http2Peer peer, int type, int stream) throws IOException {
        Http2Peer.Frame frame = peer.next(type);
        while (frame.stream() != stream) {
            frame = peer.next(type);
        }
        return frame;
    }

    /** Sends content as far as the windows allow; tells how much that was. */
    private static long fill(Http2Peer peer, int stream, long octets) throws IOException {
        long window = WINDOW;
        long connection = 65_535;
        long sent = 0;
        byte[] piece = new byte[PIECE];
        while (sent < octets) {
            while (window < PIECE || connection < PIECE) {
                Http2Peer.Frame frame = peer.next(Http2Peer.WINDOW_UPDATE);
                if (frame.stream() == 0) {
                    connection += frame.number(0);
                } else if (frame.stream() == stream) {
                    window += frame.number(0);
                }
            }
            peer.frame(Http2Peer.DATA, 0, stream, piece);
            sent += PIECE;
            window -= PIECE;
            connection -= PIECE;
        }
        peer.data(stream, true, "");
        return sent;
    }

    @Test
    void aWindowOfNothingHoldsARequestUp() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.INITIAL_WINDOW_SIZE, 0);
                    int stream = peer.head().stream();
                    peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
                    // what was written by now would stand before the answer
                    assertThat(nothingBefore(peer, Http2Peer.PING)).isTrue();
                    open.countDown();
                    peer.windowUpdate(stream, 3);
                    assertThat(new String(peer.next(Http2Peer.DATA).payload())).isEqualTo("123");
                    peer.windowUpdate(stream, 100);
                    assertThat(new String(peer.next(Http2Peer.DATA).payload())).isEqualTo("45");
                    peer.respond(stream, "x").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            assertThat(stand.client()
                            .send(Requests.post("/", "12345"))
                            .response()
                            .bodyText())
                    .isEqualTo("x");
            assertThat(open.getCount()).isZero();
        }
    }

    private static boolean nothingBefore(Http2Peer peer, int type) throws IOException {
        Http2Peer.Frame frame = peer.read();
        while (frame != null && frame.type() != type) {
            if (frame.type() == Http2Peer.DATA) {
                return false;
            }
            frame = peer.read();
        }
        return true;
    }

    @Test
    void anEndpointThatNeverOpensItsWindowIsStalled() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin(Http2Peer.INITIAL_WINDOW_SIZE, 0);
                    int stream = peer.head().stream();
                    assertThat(nextOf(peer, Http2Peer.RST_STREAM, stream).number(0))
                            .isEqualTo(Http2Peer.CANCEL);
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.start(
                        new Seams(),
                        SeamStand.config("timeouts: {body-idle: 100ms}", "protocol: http2", backend.port()))) {
            RawClient client = stand.client().send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 9\r\n\r\nhello");
            assertThat(client.response().status()).isIn(408, 504);
        }
    }

    @Test
    void aRequestIsReadAsFastAsTheEndpointTakesIt() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    int taken = 0;
                    while (taken < FIRST_WINDOW) {
                        taken += peer.next(Http2Peer.DATA).payload().length;
                    }
                    // each answer is a turn in which more of the request could have been read
                    for (int i = 0; i < TURNS; i++) {
                        peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
                        assertThat(nothingBefore(peer, Http2Peer.PING)).isTrue();
                    }
                    full.countDown();
                    Await.open(go);
                    peer.windowUpdate(0, taken).windowUpdate(stream, taken);
                    assertThat(peer.body(stream)).hasSize(UPLOAD - taken);
                    peer.respond(stream, "x").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client =
                    stand.client().send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + UPLOAD + "\r\n\r\n");
            Thread writer = new Thread(() -> {
                byte[] piece = new byte[PIECE];
                for (int sent = 0; sent < UPLOAD && client.trySend(piece); sent += PIECE) {
                    // the next one
                }
            });
            writer.start();
            Await.open(full);
            assertThat(stand.metric("remora_request_body_bytes_total")).isBetween((long) FIRST_WINDOW, HELD);
            go.countDown();
            assertThat(client.response().bodyText()).isEqualTo("x");
            writer.join();
        }
    }

    @Test
    void aLargeResponseComesWhole() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200", "content-length", Integer.toString(LARGE));
                    fill(peer, stream, LARGE);
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = stand.client().send(Requests.get("/"));
            assertThat(client.responseHead().status()).isEqualTo(200);
            client.input().skipNBytes(LARGE);
        }
    }

    @Test
    void aStalledClientStopsNoOtherStream() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        AtomicLong sent = new AtomicLong();
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    assertThat(connection).isEqualTo(1);
                    peer.begin();
                    int slow = peer.head().stream();
                    peer.headers(slow, false, ":status", "200");
                    sent.set(untilItStops(peer, slow));
                    stalled.countDown();
                    for (int i = 0; i < 20; i++) {
                        int stream = peer.head().stream();
                        peer.headers(stream, false, ":status", "200");
                        fill(peer, stream, 256 << 10);
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient slow = RawClient.connect(stand.address(), 4_096).send(Requests.get("/slow"));
            Await.open(stalled);
            for (int i = 0; i < 20; i++) {
                assertThat(stand.get("/" + i).body()).hasSize(256 << 10);
            }
            assertThat(sent.get()).isLessThan(16 << 20);
            slow.close();
        }
    }

    // its client reads nothing: the stream's window is opened no more, and the connection's is
    private static long untilItStops(Http2Peer peer, int stream) throws IOException {
        long window = WINDOW;
        long sent = 0;
        byte[] piece = new byte[PIECE];
        while (true) {
            while (window >= PIECE) {
                peer.frame(Http2Peer.DATA, 0, stream, piece);
                window -= PIECE;
                sent += PIECE;
            }
            // what comes before the answer came in time
            peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
            Http2Peer.Frame frame = peer.read();
            while (frame != null && frame.type() != Http2Peer.PING) {
                window += frame.type() == Http2Peer.WINDOW_UPDATE && frame.stream() == stream ? frame.number(0) : 0;
                frame = peer.read();
            }
            if (window < PIECE) {
                return sent;
            }
        }
    }

    /** Its client takes what it holds of a response while more of it comes: each octet opens the window once. */
    @Test
    void noOctetOpensTheWindowTwice() throws Exception {
        int octets = 4 << 20;
        byte[] piece = new byte[700];
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin().frame(Http2Peer.SETTINGS, 1, 0);
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200");
                    long window = WINDOW;
                    long all = 65_535;
                    for (int sent = 0; sent < octets; sent += piece.length) {
                        while (window < piece.length || all < piece.length) {
                            Http2Peer.Frame frame = peer.next(Http2Peer.WINDOW_UPDATE);
                            window += frame.stream() == stream ? frame.number(0) : 0;
                            all += frame.stream() == 0 ? frame.number(0) : 0;
                            assertThat(window).isLessThanOrEqualTo(WINDOW);
                        }
                        peer.frame(Http2Peer.DATA, 0, stream, piece);
                        window -= piece.length;
                        all -= piece.length;
                    }
                    peer.data(stream, true, "").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = RawClient.connect(stand.address(), 4_096).send(Requests.get("/"));
            assertThat(client.response().body()).hasSizeGreaterThanOrEqualTo(octets);
            assertThat(stand.failures()).isZero();
            client.close();
        }
    }

    /** A thousand frames are one buffer where their client is stalled, and comes whole once it is not. */
    @Test
    void aStalledClientsFramesAreOneBuffer() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        AtomicLong sent = new AtomicLong();
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin().frame(Http2Peer.SETTINGS, 1, 0);
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200");
                    long octets = untilItHolds(peer, stream);
                    ByteArrayOutputStream rest = new ByteArrayOutputStream();
                    for (int i = 0; i < PIECE; i += 16) {
                        rest.writeBytes(Http2Peer.octets(Http2Peer.DATA, 0, stream, new byte[16]));
                    }
                    peer.raw(rest.toByteArray()).frame(Http2Peer.PING, 0, 0, new byte[8]);
                    peer.next(Http2Peer.PING);
                    sent.set(octets + PIECE);
                    stalled.countDown();
                    peer.next(Http2Peer.WINDOW_UPDATE);
                    peer.data(stream, true, "").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = RawClient.connect(stand.address(), 4_096)
                    .send("GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n");
            Await.open(stalled);
            String all = new String(client.readToEnd());
            assertThat(all).hasSizeGreaterThan((int) sent.get()).endsWith("\r\n0\r\n\r\n");
            // chunks of sixteen octets, each of which has been a buffer of its own
            assertThat(all.split("\r\n10\r\n", -1)).hasSizeLessThan(10);
            client.close();
        }
    }

    // until the window, of which half is left then, is opened no more
    private static long untilItHolds(Http2Peer peer, int stream) throws IOException {
        long sent = 0;
        boolean opened = true;
        byte[] piece = new byte[PIECE];
        while (opened) {
            opened = false;
            peer.frame(Http2Peer.DATA, 0, stream, piece);
            peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
            sent += PIECE;
            Http2Peer.Frame frame = peer.read();
            while (frame != null && frame.type() != Http2Peer.PING) {
                opened |= frame.type() == Http2Peer.WINDOW_UPDATE && frame.stream() == stream;
                frame = peer.read();
            }
        }
        return sent;
    }

    @Test
    void aStreamsWindowIsOursBeforeTheEndpointSaysSo() throws Exception {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    // which acknowledges nothing
                    peer.begin();
                    int stream = peer.head().stream();
                    peer.headers(stream, false, ":status", "200");
                    peer.frame(Http2Peer.DATA, 0, stream, new byte[PIECE]);
                    peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
                    // the half of it has come
                    assertThat(nextOf(peer, Http2Peer.WINDOW_UPDATE, stream).number(0))
                            .isEqualTo(PIECE);
                    peer.frame(Http2Peer.DATA, 0, stream, new byte[PIECE]);
                    peer.data(stream, true, "").awaitEnd();
                });
                SeamStand stand = SeamStand.start(
                        new Seams(),
                        SeamStand.config("timeouts: {body-idle: 1s}", "protocol: http2", backend.port()))) {
            assertThat(stand.get("/").body()).hasSize(2 * PIECE);
        }
    }
}
