package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.seams.SeamStand;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Requests;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Responses that RFC 9113 calls malformed: 502, a reset with PROTOCOL_ERROR, and no harm to other streams. */
final class Http2BackendMalformedIT {
    private static final String[] OK = {":status", "200"};

    private static Arguments head(String what, String... lines) {
        return Arguments.of(what, lines);
    }

    static Stream<Arguments> heads() {
        return Stream.of(
                head("8.3.2: no status", "content-type", "text/plain"),
                head("8.3: status twice", ":status", "200", ":status", "200"),
                head("8.3: status behind a field", "a", "b", ":status", "200"),
                head("8.3: a pseudo-field of requests", ":status", "200", ":path", "/"),
                head("8.3: an unknown pseudo-field", ":status", "200", ":color", "red"),
                head("8.3.2: status of two digits", ":status", "20"),
                head("8.3.2: status of four digits", ":status", "0200"),
                head("8.3.2: status of other characters", ":status", "2x0"),
                head("8.3.2: status with a sign", ":status", "+20"),
                head("status below 100", ":status", "099"),
                head("status of four digits", ":status", "1000"),
                head("8.6: switching protocols", ":status", "101"),
                head("8.2.1: an upper-case name", ":status", "200", "X-Upper", "a"),
                head("8.2.1: an empty name", ":status", "200", "", "a"),
                head("8.2.1: a space in a name", ":status", "200", "a b", "a"),
                head("8.2.1: a colon in a name", ":status", "200", "a:b", "a"),
                head("8.2.1: CVE-2026-93579: CR LF in a value", ":status", "200", "a", "b\r\nset-cookie: c=d"),
                head("8.2.1: CVE-2026-93579: LF in a value", ":status", "200", "a", "b\nc"),
                head("8.2.1: CVE-2026-93579: CR in a value", ":status", "200", "a", "b\rc"),
                head("8.2.1: CVE-2026-93579: NUL in a value", ":status", "200", "a", "b\0c"),
                head("9110 5.5: a control character in a value", ":status", "200", "a", "b\u0001c"),
                head("8.2.1: a space before a value", ":status", "200", "a", " b"),
                head("8.2.1: a tab behind a value", ":status", "200", "a", "b\t"),
                head("8.2.1: CR LF in a name", ":status", "200", "a\r\nb", "c"),
                head("8.2.2: Connection", ":status", "200", "connection", "close"),
                head("8.2.2: Keep-Alive", ":status", "200", "keep-alive", "5"),
                head("8.2.2: Proxy-Connection", ":status", "200", "proxy-connection", "close"),
                head("8.2.2: Transfer-Encoding", ":status", "200", "transfer-encoding", "chunked"),
                head("8.2.2: Upgrade", ":status", "200", "upgrade", "websocket"),
                head("8.2.2: TE", ":status", "200", "te", "trailers"),
                head("8.1.1: two lengths", ":status", "200", "content-length", "1", "content-length", "1"),
                head("8.1.1: a list of lengths", ":status", "200", "content-length", "1, 1"),
                head("8.1.1: a length with a sign", ":status", "200", "content-length", "+1"),
                head("8.1.1: no number", ":status", "200", "content-length", "a"),
                head("8.1.1: more than a long", ":status", "200", "content-length", "99999999999999999999"));
    }

    /** What the script says behind the request, then a second request that is answered well. */
    private static void isMalformed(String request, Http2Backend.Script script) throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    assertThat(connection).isEqualTo(1);
                    peer.begin();
                    script.run(peer, connection);
                    Http2Peer.Frame reset = peer.next(Http2Peer.RST_STREAM);
                    assertThat(reset.stream()).isEqualTo(Http2Peer.FIRST);
                    assertThat(reset.number(0)).isEqualTo(Http2Peer.PROTOCOL_ERROR);
                    peer.respond(peer.head().stream(), "well").awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            RawResponse response = stand.client().send(request).response(request.substring(0, request.indexOf(' ')));
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("remora-error")).isEqualTo("bad-response");
            assertThat(stand.get("/").bodyText()).isEqualTo("well");
            assertThat(stand.failures("bad-response")).isEqualTo(1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("heads")
    void aHead(String what, String[] lines) throws IOException {
        isMalformed(Requests.get("/"), (peer, connection) -> peer.headers(peer.head().stream(), false, lines));
    }

    @Test
    void contentBeforeTheHead() throws IOException {
        isMalformed(Requests.get("/"), (peer, connection) -> peer.data(peer.head().stream(), true, "x"));
    }

    @Test
    void anInterimResponseThatIsTheLast() throws IOException {
        isMalformed(
                Requests.get("/"), (peer, connection) -> peer.headers(peer.head().stream(), true, ":status", "103"));
    }

    @Test
    void moreInterimResponsesThanAnybodyNeeds() throws IOException {
        isMalformed(Requests.get("/"), (peer, connection) -> {
            int stream = peer.head().stream();
            for (int i = 0; i <= 100; i++) {
                peer.headers(stream, false, ":status", "102");
            }
        });
    }

    @Test
    void aHeadLongerThanItsLimit() throws IOException {
        isMalformed(Requests.get("/"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.frame(Http2Peer.HEADERS, 0, stream, Http2Peer.block(":status", "200", "a", "x".repeat(15_000)));
            for (int i = 0; i < 5; i++) {
                peer.frame(Http2Peer.CONTINUATION, 0, stream, Http2Peer.block("a", "x".repeat(12_500)));
            }
            peer.frame(Http2Peer.CONTINUATION, 4, stream, Http2Peer.block("a", "b"));
        });
    }

    /** Announced and not there, so that the client would wait, or there and not announced. */
    @Test
    void contentThatIsNotAsLongAsAnnounced() throws IOException {
        isMalformed(Requests.get("/"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, true, ":status", "200", "content-length", "5");
        });
    }

    /** Behind a head that has been passed on: what the client has got is cut short. */
    private static void isCut(String request, Http2Backend.Script script) throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, connection) -> {
                    peer.begin();
                    script.run(peer, connection);
                    Http2Peer.Frame reset = peer.next(Http2Peer.RST_STREAM);
                    assertThat(reset.number(0)).isEqualTo(Http2Peer.PROTOCOL_ERROR);
                    peer.awaitEnd();
                });
                SeamStand stand = SeamStand.before(backend)) {
            byte[] all = stand.client().send(request).readToEnd();
            String text = new String(all);
            boolean refused = text.startsWith("HTTP/1.1 502 ");
            assertThat(refused || !text.endsWith("0\r\n\r\n") && !text.endsWith("evil"))
                    .as(text)
                    .isTrue();
            assertThat(stand.failures("bad-response")).isEqualTo(1);
        }
    }

    @Test
    void moreContentThanAnnounced() throws IOException {
        isCut(Requests.get("/").replace("Host", "Connection: close\r\nHost"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "200", "content-length", "5").data(stream, false, "123");
            peer.data(stream, true, "45evil");
        });
    }

    @Test
    void lessContentThanAnnounced() throws IOException {
        isCut(Requests.get("/").replace("Host", "Connection: close\r\nHost"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "200", "content-length", "5").data(stream, true, "123");
        });
    }

    @Test
    void contentOfAHead() throws IOException {
        isCut("HEAD / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n", (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "200", "content-length", "4").data(stream, true, "evil");
        });
    }

    @Test
    void contentOf204() throws IOException {
        isCut(Requests.get("/").replace("Host", "Connection: close\r\nHost"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, ":status", "204").data(stream, true, "evil");
        });
    }

    @Test
    void trailersWithAPseudoField() throws IOException {
        isCut(Requests.get("/").replace("Host", "Connection: close\r\nHost"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, OK).data(stream, false, "a").headers(stream, true, ":status", "200");
        });
    }

    @Test
    void trailersWithABadValue() throws IOException {
        isCut(Requests.get("/").replace("Host", "Connection: close\r\nHost"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, OK).data(stream, false, "a").headers(stream, true, "a", "b\r\nc: d");
        });
    }

    @Test
    void trailersThatAreNotTheLast() throws IOException {
        isCut(Requests.get("/").replace("Host", "Connection: close\r\nHost"), (peer, connection) -> {
            int stream = peer.head().stream();
            peer.headers(stream, false, OK).data(stream, false, "a").headers(stream, false, "a", "b");
        });
    }
}
