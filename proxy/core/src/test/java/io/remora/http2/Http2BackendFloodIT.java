package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Endpoints that break the connection's rules, or send what nobody needs: GOAWAY, and the end (RFC 9113 section 10.5). */
final class Http2BackendFloodIT {
    private static final byte[] PING = Http2Peer.octets(Http2Peer.PING, 0, 0, new byte[8]);

    private static Arguments frame(String what, byte[] octets) {
        return Arguments.of(what, octets);
    }

    static Stream<Arguments> floods() {
        return Stream.of(
                frame("CVE-2019-9512: PING", PING),
                frame("answers to PINGs that nobody sent", Http2Peer.octets(Http2Peer.PING, 1, 0, new byte[8])),
                frame("CVE-2019-9515: SETTINGS", Http2Peer.octets(Http2Peer.SETTINGS, 0, 0)),
                frame("CVE-2019-9518: empty DATA", Http2Peer.octets(Http2Peer.DATA, 0, Http2Peer.FIRST)),
                frame("PRIORITY", Http2Peer.octets(Http2Peer.PRIORITY, 0, Http2Peer.FIRST, new byte[] {0, 0, 0, 9, 0})),
                frame("unknown frames", Http2Peer.octets(77, 0, 0)),
                frame(
                        "WINDOW_UPDATE for nothing",
                        Http2Peer.octets(Http2Peer.WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 0, 1})));
    }

    private static Arguments breach(String what, int error, byte[] octets) {
        return Arguments.of(what, error, octets);
    }

    static Stream<Arguments> breaches() {
        return Stream.of(
                breach(
                        "a push",
                        Http2Peer.PROTOCOL_ERROR,
                        Http2Peer.octets(Http2Peer.PUSH_PROMISE, 4, Http2Peer.FIRST, new byte[] {0, 0, 0, 2})),
                breach(
                        "a stream of its own",
                        Http2Peer.PROTOCOL_ERROR,
                        Http2Peer.octets(Http2Peer.HEADERS, 4, 2, Http2Peer.block(":status", "200"))),
                breach(
                        "a stream that nobody began",
                        Http2Peer.PROTOCOL_ERROR,
                        Http2Peer.octets(Http2Peer.HEADERS, 4, 9, Http2Peer.block(":status", "200"))),
                breach(
                        "DATA of a stream that nobody began",
                        Http2Peer.PROTOCOL_ERROR,
                        Http2Peer.octets(Http2Peer.DATA, 0, 9)),
                breach(
                        "a frame too long",
                        Http2Peer.FRAME_SIZE_ERROR,
                        Http2Peer.octets(Http2Peer.DATA, 0, Http2Peer.FIRST, new byte[16_385])),
                breach(
                        "a PING of seven octets",
                        Http2Peer.FRAME_SIZE_ERROR,
                        Http2Peer.octets(Http2Peer.PING, 0, 0, new byte[7])),
                breach(
                        "HPACK that is none",
                        Http2Peer.COMPRESSION_ERROR,
                        Http2Peer.octets(Http2Peer.HEADERS, 4, Http2Peer.FIRST, new byte[] {(byte) 0xff, 0, 0, 0})),
                breach(
                        "a window that overflows",
                        Http2Peer.FLOW_CONTROL_ERROR,
                        Http2Peer.octets(Http2Peer.WINDOW_UPDATE, 0, 0, new byte[] {127, -1, -1, -1})),
                breach("CVE-2026-33871: empty CONTINUATIONs", Http2Peer.ENHANCE_YOUR_CALM, continuations()));
    }

    private static byte[] continuations() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(Http2Peer.octets(Http2Peer.HEADERS, 0, Http2Peer.FIRST, Http2Peer.block(":status", "200")));
        for (int i = 0; i < 1_000; i++) {
            all.writeBytes(Http2Peer.octets(Http2Peer.CONTINUATION, 0, Http2Peer.FIRST));
        }
        return all.toByteArray();
    }

    private static byte[] times(int count, byte[] frame) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame);
        }
        return all.toByteArray();
    }

    private static void ends(String why, String failure, int error, Http2Backend.Script script) throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    if (connection == 1) {
                        script.run(peer, connection);
                        Http2Peer.Frame goAway = peer.next(Http2Peer.GOAWAY);
                        assertThat(goAway.number(4)).isEqualTo(error);
                        peer.awaitEnd();
                    } else {
                        peer.respond(stream, "well").awaitEnd();
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.get("/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("remora-error")).isEqualTo(failure);
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
            assertThat(stand.metric("remora_backend_http2_connections_ended_total", why))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("floods")
    void aFlood(String what, byte[] frame) throws IOException {
        // content before a head breaks a rule of its own
        boolean isData = what.contains("DATA");
        ends("flood", isData ? "bad-response" : "flood", Http2Peer.ENHANCE_YOUR_CALM, (peer, connection) -> {
            if (isData) {
                peer.headers(Http2Peer.FIRST, false, ":status", "103");
            }
            // a second bound is passed too, for up to the first one a stream may end
            peer.raw(times(3_000, frame));
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("breaches")
    void aBreach(String what, int error, byte[] frame) throws IOException {
        boolean isFlood = error == Http2Peer.ENHANCE_YOUR_CALM;
        String why = isFlood ? "flood" : "protocol";
        ends(why, isFlood ? "flood" : "bad-response", error, (peer, connection) -> peer.raw(frame));
    }

    /** Two updates for each small frame are what many servers send. */
    @Test
    void anUpdateOfEachWindowForEachFrameIsNoFlood() throws IOException {
        int posts = 2_000;
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    for (int i = 0; i < posts; i++) {
                        int stream = peer.head().stream();
                        // opens both windows for the content
                        assertThat(peer.body(stream)).hasSize(5);
                        peer.respond(stream, "x");
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = stand.client();
            for (int i = 0; i < posts; i++) {
                assertThat(client.send(Requests.post("/", "12345")).response().status())
                        .isEqualTo(200);
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** gRPC's servers measure the bandwidth by a PING for each read. */
    @Test
    void aPingForEachFrameIsNoFlood() throws IOException {
        int posts = 600;
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    for (int i = 0; i < posts; i++) {
                        int stream = peer.head().stream();
                        peer.body(stream);
                        // one for the head, one for the content, one for its end
                        peer.raw(times(3, PING)).respond(stream, "x");
                    }
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = stand.client();
            for (int i = 0; i < posts; i++) {
                assertThat(client.send(Requests.post("/", "12345")).response().status())
                        .isEqualTo(200);
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** Credit is capped, so that it cannot be saved up for a flood. */
    @Test
    void creditIsCapped() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    for (Http2Peer.Head head = peer.headOrEnd(); head != null; head = peer.headOrEnd()) {
                        if ("/flood".equals(head.value(":path"))) {
                            peer.raw(times(2_500, PING));
                            assertThat(peer.next(Http2Peer.GOAWAY).number(4)).isEqualTo(Http2Peer.ENHANCE_YOUR_CALM);
                        } else {
                            peer.respond(head.stream(), "x");
                        }
                    }
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawClient client = stand.client();
            for (int i = 0; i < 1_500; i++) {
                assertThat(client.send(Requests.get("/")).response().status()).isEqualTo(200);
            }
            assertThat(client.send(Requests.get("/flood")).response().field("remora-error"))
                    .isEqualTo("flood");
            assertThat(stand.failures("flood")).isOne();
        }
    }

    /** A bound that is passed once ends no stream that is good, and brings no further one. */
    @Test
    void streamsThatAreGoodEndInOrder() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    if (connection == 1) {
                        peer.headers(stream, false, ":status", "200").data(stream, false, "first ");
                        peer.raw(times(1_200, PING));
                        assertThat(peer.next(Http2Peer.GOAWAY).number(4)).isEqualTo(Http2Peer.ENHANCE_YOUR_CALM);
                    }
                    peer.data(stream, true, "last");
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            assertThat(stand.get("/").bodyText()).isEqualTo("first last");
            assertThat(stand.failures("flood")).isZero();
            assertThat(stand.metric("remora_backend_http2_connections_ended_total", "flood"))
                    .isEqualTo(1);
        }
    }

    @Test
    void graceEnds() throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    peer.head();
                    peer.raw(times(1_200, PING)).awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            assertThat(stand.get("/").field("remora-error")).isEqualTo("flood");
        }
    }

    @Test
    void aSettingThatOverflowsAStreamsWindowEndsTheConnection() throws IOException {
        ends("protocol", "bad-response", Http2Peer.FLOW_CONTROL_ERROR, (peer, connection) -> {
            peer.windowUpdate(Http2Peer.FIRST, Integer.MAX_VALUE - 65_535);
            peer.settings(Http2Peer.INITIAL_WINDOW_SIZE, 65_536);
        });
    }
}
