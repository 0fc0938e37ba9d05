package io.remora.http2;

import static io.remora.http2.FrameClient.GET;
import static io.remora.http2.FrameClient.NO_ERROR;
import static io.remora.http2.FrameClient.POST;
import static io.remora.http2.FrameClient.PROTOCOL_ERROR;
import static io.remora.http2.FrameClient.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawRequest;
import io.remora.testkit.Stand;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What requests of HTTP/2 become, and which are refused before a backend has seen a byte (RFC 9113 section 8). */
@EveryEngine
final class Http2RequestsIT {
    @RegisterExtension
    static final Stand STAND = new Stand(
            "protocol: http2\nheaders: { x-forwarded-for: off, x-forwarded-proto: off, x-forwarded-host: off, x-request-id: off }",
            "");

    private FrameClient client;

    @BeforeEach
    void connect() throws IOException {
        client = FrameClient.connect(STAND.sidecar().address());
    }

    @AfterEach
    void close() throws IOException {
        client.close();
    }

    private static String atBackend() {
        return Wire.text(STAND.atBackend());
    }

    /** What the sidecar has begun and cannot finish is not followed by another request on its connection. */
    private static void nothingFollows(String line) throws IOException {
        for (BackendConnection connection : STAND.backend.connections()) {
            String received = Wire.text(connection.received());
            int at = received.indexOf(line);
            if (at >= 0) {
                assertThat(received.substring(at)).doesNotContain("GET ");
                Await.until("the connection has ended", connection::ended);
            }
        }
    }

    private static RawRequest request() throws IOException {
        // those of this test alone: others leave requests in the middle
        List<RawRequest> all = StrictHttp.requests(STAND.atBackend());
        return all.get(all.size() - 1);
    }

    // ---- what leaves

    @Test
    void leavesAsHttp1ByteForByte() throws IOException {
        assertThat(client.get(1).answer(1).text()).isEqualTo("ok");
        assertThat(atBackend()).matches("GET / HTTP/1\\.1\r\nhost: app\r\nVia: 2\\.0 [0-9A-Za-z-]+\r\n\r\n");
    }

    @Test
    void answersWithStatusFieldsAndContent() throws IOException {
        STAND.backend.reply("HTTP/1.1 201 Made\r\nX-Name: a\r\nConnection: x-hop\r\nX-Hop: 1\r\n"
                + "Keep-Alive: timeout=5\r\nContent-Length: 5\r\n\r\nhello");
        Answer answer = client.get(1).answer(1);
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.text()).isEqualTo("hello");
        assertThat(answer.sections.get(0))
                .containsEntry("x-name", "a")
                .containsEntry("content-length", "5")
                .containsKeys("date", "via")
                .doesNotContainKeys("connection", "keep-alive", "x-hop", "transfer-encoding");
    }

    @Test
    void aStatusBeyondTheClassesPasses() throws IOException {
        STAND.backend.reply("HTTP/1.1 999 Beyond\r\nContent-Length: 2\r\n\r\nno");
        Answer answer = client.get(1).answer(1);
        assertThat(answer.status()).isEqualTo(999);
        assertThat(answer.text()).isEqualTo("no");
    }

    /** HTTP/2 has no field for it (RFC 9113 8.2.2), and no upgrade. */
    @Test
    void whatA426WantsIsNotSaid() throws IOException {
        STAND.backend.reply(
                "HTTP/1.1 426 Upgrade Required\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n");
        Answer answer = client.get(1).answer(1);
        assertThat(answer.status()).isEqualTo(426);
        assertThat(answer.sections.get(0)).doesNotContainKeys("connection", "upgrade");
    }

    @Test
    void bodyOfUnknownLengthIsChunked() throws IOException {
        client.headers(1, false, POST).data(1, false, "abc").data(1, true, "de");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().bodyText()).isEqualTo("abcde");
        assertThat(request().field("Transfer-Encoding")).isEqualTo("chunked");
        assertThat(request().field("Content-Length")).isNull();
    }

    @Test
    void bodyOfDeclaredLengthKeepsIt() throws IOException {
        client.headers(1, false, with(POST, "content-length", "5")).data(1, true, "abcde");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().field("Content-Length")).isEqualTo("5");
        assertThat(atBackend()).endsWith("\r\n\r\nabcde").doesNotContain("hunked");
    }

    /** An HTTP/1.1 server may answer 411 to a method with a meaning for content, if nothing says that there is none (RFC 9110 8.6). */
    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH"})
    void noContentIsStatedWhereSomeIsExpected(String method) throws IOException {
        String[] head = {":method", method, ":scheme", "http", ":path", "/", ":authority", "app"};
        client.headers(1, true, head);
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().fields().all("Content-Length")).containsExactly("0");
        assertThat(request().fields().has("Transfer-Encoding")).isFalse();
        client.headers(3, true, with(head, "content-length", "0"));
        assertThat(client.answer(3).status()).isEqualTo(200);
        assertThat(request().fields().all("Content-Length")).containsExactly("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE", "OPTIONS", "PURGE", "post"})
    void noContentIsNotStatedOtherwise(String method) throws IOException {
        client.headers(1, true, ":method", method, ":scheme", "http", ":path", "/", ":authority", "app");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().method()).isEqualTo(method);
        assertThat(request().fields().has("Content-Length")).isFalse();
    }

    @Test
    void paddingIsNoContent() throws IOException {
        client.headers(1, false, POST);
        byte[] padded = {3, 'a', 'b', 0, 0, 0};
        client.send(FrameClient.frame(FrameClient.DATA, 8 | FrameClient.END_STREAM, 1, padded));
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().bodyText()).isEqualTo("ab");
    }

    @Test
    void cookieCrumbsAreOneField() throws IOException {
        client.headers(1, true, with(GET, "cookie", "a=1", "x", "y", "cookie", "b=2", "cookie", "c=3"));
        client.answer(1);
        assertThat(atBackend()).contains("cookie: a=1; b=2; c=3\r\nx: y\r\n").doesNotContain("cookie: b");
    }

    @Test
    void trailersPassButForThoseThatOnlyAHeadMayHave() throws IOException {
        client.headers(1, false, with(POST, "te", "trailers")).data(1, false, "a");
        client.headers(1, true, "x-sum", "1", "content-length", "9", "host", "evil", "x-forwarded-for", "1.1.1.1");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().trailers().lines()).hasSize(1);
        assertThat(request().trailers().first("x-sum")).isEqualTo("1");
        assertThat(request().field("TE")).isEqualTo("trailers");
    }

    @Test
    void trailersOfTheBackendPass() throws IOException {
        STAND.backend.reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n"
                + "3\r\nabc\r\n0\r\nX-End: yes\r\n\r\n");
        Answer answer = client.headers(1, true, with(GET, "te", "trailers")).answer(1);
        assertThat(answer.text()).isEqualTo("abc");
        assertThat(answer.field("transfer-encoding")).isNull();
        assertThat(answer.sections.get(1)).containsEntry("x-end", "yes");
    }

    @Test
    void interimResponsesPass() throws IOException {
        STAND.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        });
        client.headers(1, false, with(POST, "expect", "100-continue", "content-length", "1"));
        Answer answer = client.answer(1);
        assertThat(answer.sections)
                .extracting(section -> section.get(":status"))
                .containsExactly("100", "103", "200");
        assertThat(answer.sections.get(1)).containsEntry("link", "</a>");
    }

    @Test
    void headHasALengthAndNoContent() throws IOException {
        STAND.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        Answer answer = client.headers(1, true, with(new String[] {":method", "HEAD"}, tail(GET)))
                .answer(1);
        assertThat(answer.field("content-length")).isEqualTo("5");
        assertThat(answer.body.size()).isZero();
        assertThat(answer.sections).hasSize(1);
    }

    private static String[] tail(String[] head) {
        return Arrays.copyOfRange(head, 2, head.length);
    }

    @Test
    void statusWithoutContentEndsWithItsHead() throws IOException {
        STAND.backend.reply("HTTP/1.1 204 No Content\r\n\r\n");
        assertThat(client.get(1).answer(1).status()).isEqualTo(204);
        STAND.backend.reply("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
        assertThat(client.get(3).answer(3).field("etag")).isEqualTo("\"a\"");
    }

    @Test
    void optionsOfTheServer() throws IOException {
        client.headers(1, true, ":method", "OPTIONS", ":scheme", "http", ":authority", "app", ":path", "*");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(request().target()).isEqualTo("*");
    }

    @Test
    void hostStandsInForAuthority() throws IOException {
        client.headers(1, true, ":method", "GET", ":scheme", "https", ":path", "/a?b", "host", "other:8080");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(atBackend())
                .startsWith("GET /a?b HTTP/1.1\r\nhost: other:8080\r\n")
                .doesNotContain("host: app");
    }

    /** CVE-2026-59900. */
    @Test
    void hostThatAgreesIsNotRepeated() throws IOException {
        client.headers(1, true, with(GET, "host", "APP"));
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(atBackend().toLowerCase(Locale.ROOT).split("host:", -1)).hasSize(2);
    }

    @Test
    void manyStreamsAtOnceEachGetTheirOwnAnswer() throws IOException {
        STAND.backend.onRequest(connection -> {
            String target = connection.readRequest().target();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + target.length() + "\r\n\r\n" + target);
        });
        for (int stream = 1; stream < 100; stream += 2) {
            client.headers(
                    stream, true, ":method", "GET", ":scheme", "http", ":authority", "app", ":path", "/" + stream);
        }
        for (int stream = 1; stream < 100; stream += 2) {
            assertThat(client.answer(stream).text()).isEqualTo("/" + stream);
        }
    }

    @Test
    void earlyResponseEndsTheRequestWithoutError() throws IOException {
        STAND.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
        });
        client.headers(1, false, POST).data(1, false, "abc");
        Answer answer = client.answer(1);
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.text()).isEqualTo("no");
        while (answer.reset < 0) {
            client.read();
        }
        assertThat(answer.reset).isEqualTo(NO_ERROR);
        // what was under way is no fault
        client.data(1, false, "late");
        client.barrier();
        STAND.backend.replyOk();
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
    }

    @Test
    void responseThatIsCutResetsTheStream() throws IOException {
        STAND.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
            connection.close();
        });
        Answer answer = client.get(1).answer(1);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.reset).isPositive();
        STAND.backend.replyOk();
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
    }

    // ---- what is malformed: a stream error (8.1.1), and the backend sees nothing

    static Stream<Arguments> malformed() {
        return Stream.of(
                named("no :method", ":scheme", "http", ":authority", "app", ":path", "/"),
                named("no :scheme", ":method", "GET", ":authority", "app", ":path", "/"),
                named("no :path", ":method", "GET", ":scheme", "http", ":authority", "app"),
                named("empty :path", ":method", "GET", ":scheme", "http", ":authority", "app", ":path", ""),
                named("second :path", with(GET, ":path", "/b")),
                named("second :method", with(GET, ":method", "POST")),
                named("second :authority", with(GET, ":authority", "b")),
                named("second :scheme", with(GET, ":scheme", "http")),
                named("unknown pseudo-field", with(GET, ":evil", "1")),
                named(":status", with(GET, ":status", "200")),
                named(":protocol", with(GET, ":protocol", "websocket")),
                named("pseudo-field behind a field", "x", "1", ":method", "GET", ":scheme", "http", ":path", "/"),
                named("capital letter in a name", with(GET, "X-Up", "1")),
                named("space in a name", with(GET, "x y", "1")),
                named("colon in a name", with(GET, "x:y", "1")),
                named("empty name", with(GET, "", "1")),
                named("CR LF in a name", with(GET, "x\r\ny", "1")),
                // CVE-2026-93579
                named("CR LF in a value", with(GET, "x", "a\r\nHost: evil")),
                named("LF in a value", with(GET, "x", "a\ny: b")),
                named("NUL in a value", with(GET, "x", "a\0b")),
                named("other control character in a value", with(GET, "x", "a\u0001b")),
                named("space before a value", with(GET, "x", " a")),
                named("tab behind a value", with(GET, "x", "a\t")),
                // CVE-2025-67735
                named(
                        "CR LF in :path",
                        ":method",
                        "GET",
                        ":scheme",
                        "http",
                        ":authority",
                        "app",
                        ":path",
                        "/ HTTP/1.1\r\nx: y"),
                named(
                        "CR LF in :method",
                        ":method",
                        "GET / HTTP/1.1\r\nx:",
                        ":scheme",
                        "http",
                        ":authority",
                        "a",
                        ":path",
                        "/"),
                named("space in :method", ":method", "GET /", ":scheme", "http", ":authority", "app", ":path", "/"),
                named(
                        "CR LF in :authority",
                        ":method",
                        "GET",
                        ":scheme",
                        "http",
                        ":authority",
                        "a\r\nx: y",
                        ":path",
                        "/"),
                named("connection", with(GET, "connection", "close")),
                named("keep-alive", with(GET, "keep-alive", "1")),
                named("proxy-connection", with(GET, "proxy-connection", "close")),
                named("transfer-encoding", with(GET, "transfer-encoding", "chunked")),
                named("upgrade", with(GET, "upgrade", "websocket")),
                named("te other than trailers", with(GET, "te", "gzip")),
                named("te with more", with(GET, "te", "trailers, gzip")),
                // CVE-2021-21409
                named("length without content", with(GET, "content-length", "5")),
                named("length that is none", with(GET, "content-length", "+0")),
                named("two lengths", with(GET, "content-length", "0", "content-length", "1")),
                named("CONNECT with a path", with(new String[] {":method", "CONNECT"}, tail(GET))));
    }

    private static Arguments named(String name, String... lines) {
        return Arguments.of(name, lines);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void refusesWhatIsMalformed(String name, String[] lines) throws IOException {
        Answer answer = client.headers(1, true, lines).answer(1);
        assertThat(answer.reset).isEqualTo(PROTOCOL_ERROR);
        assertThat(answer.sections).isEmpty();
        // and of its connection nothing else
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        assertThat(atBackend())
                .startsWith("GET / HTTP/1.1\r\nhost: app\r\nVia: ")
                .doesNotContain("evil");
        assertThat(atBackend().split("HTTP/1.1", -1)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\r\nx: y", "a\0b", "\ra", "a\n"})
    void row44_controlCharactersInHttp2Values(String value) throws IOException {
        assertThat(client.headers(1, true, with(GET, "x", value)).answer(1).reset)
                .isEqualTo(PROTOCOL_ERROR);
        assertThat(STAND.atBackend()).isEmpty();
    }

    // ---- what is no good request: 400 and its like

    static Stream<Arguments> bad() {
        return Stream.of(
                Arguments.of("host that differs", 400, with(GET, "host", "evil")),
                Arguments.of("two hosts", 400, with(GET, "host", "app", "host", "app")),
                Arguments.of("nobody", 400, new String[] {":method", "GET", ":scheme", "http", ":path", "/"}),
                Arguments.of("empty authority", 400, request("", "/")),
                Arguments.of("user in the authority", 400, request("u@app", "/")),
                Arguments.of("list of authorities", 400, request("app,b", "/")),
                Arguments.of("path without slash", 400, request("app", "a")),
                Arguments.of("absolute path", 400, request("app", "http://evil/")),
                Arguments.of("asterisk of GET", 400, request("app", "*")),
                Arguments.of("space in the path", 400, request("app", "/a b")),
                Arguments.of("fragment", 400, request("app", "/a#b")),
                Arguments.of("octet above 127 in the path", 400, request("app", "/\u00e4")),
                Arguments.of("other scheme", 400, new String[] {
                    ":method", "GET", ":scheme", "ftp", ":authority", "app", ":path", "/"
                }),
                Arguments.of("confusable name", 400, with(GET, "content_length", "1")),
                Arguments.of(
                        "both keys of draft 76", 400, with(GET, "sec-websocket-key1", "1", "sec-websocket-key2", "2")),
                Arguments.of("CONNECT", 501, new String[] {":method", "CONNECT", ":authority", "app:443"}),
                Arguments.of("CONNECT without port", 400, new String[] {":method", "CONNECT", ":authority", "app"}),
                Arguments.of("long path", 414, request("app", "/" + "a".repeat(8_200))),
                Arguments.of("many fields", 431, manyFields()),
                Arguments.of("large fields", 431, with(GET, "x", "a".repeat(15_000), "y", "a".repeat(18_000))));
    }

    private static String[] request(String authority, String path) {
        return new String[] {":method", "GET", ":scheme", "http", ":authority", authority, ":path", path};
    }

    private static String[] manyFields() {
        String[] lines = GET;
        for (int i = 0; i < 101; i++) {
            lines = with(lines, "x" + i, "1");
        }
        return lines;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bad")
    void answersWhatIsNoGoodRequest(String name, int status, String[] lines) throws IOException {
        client.largeHeaders(1, lines);
        Answer answer = client.answer(1);
        assertThat(answer.sections).isNotEmpty();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.field("remora-error")).isNotNull();
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        assertThat(atBackend().split("HTTP/1.1", -1)).hasSize(2);
    }

    /** Beyond what a table of the client's may take it is refused without being kept. */
    @Test
    void headerListBeyondItsLimit() throws IOException {
        String more = "a".repeat(15_000);
        client.largeHeaders(1, with(GET, "x", more, "y", more, "z", more));
        assertThat(client.answer(1).status()).isEqualTo(431);
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
    }

    // ---- the length against the content (CVE-2021-21295)

    @Test
    void moreContentThanDeclared() throws IOException {
        client.headers(1, false, with(POST, "content-length", "17")).data(1, true, "GET /smuggled HTTP/1.1\r\n\r\n");
        assertThat(client.answer(1).reset).isEqualTo(PROTOCOL_ERROR);
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        assertThat(atBackend()).doesNotContain("smuggled");
        nothingFollows("content-length: 17\r\n");
    }

    @Test
    void lessContentThanDeclared() throws IOException {
        client.headers(1, false, with(POST, "content-length", "19")).data(1, true, "abc");
        assertThat(client.answer(1).reset).isEqualTo(PROTOCOL_ERROR);
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
        nothingFollows("content-length: 19\r\n");
    }

    static Stream<Arguments> badTrailers() {
        return Stream.of(
                named("pseudo-field", ":path", "/"),
                named("connection", "connection", "close"),
                named("capital letter", "X-Up", "1"),
                named("te other than trailers", "te", "gzip"),
                named("LF", "x", "a\nb"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badTrailers")
    void refusesTrailersThatAreMalformed(String name, String[] lines) throws IOException {
        client.headers(1, false, POST).data(1, false, "a").headers(1, true, lines);
        assertThat(client.answer(1).reset).isEqualTo(PROTOCOL_ERROR);
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
    }

    static Stream<Arguments> trailersThatAreNotGood() {
        String[] many = {};
        for (int i = 0; i < 101; i++) {
            many = with(many, "x" + i, "1");
        }
        return Stream.of(
                Arguments.of("confusable name", 400, new String[] {"content_length", "1"}),
                Arguments.of("many fields", 431, many),
                Arguments.of("large fields", 400, new String[] {"x", "a".repeat(15_000), "y", "a".repeat(18_000)}));
    }

    /** As with HTTP/1, a listener's rules about fields hold for those behind a body too. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("trailersThatAreNotGood")
    void answersTrailersThatAreNotGood(String name, int status, String[] lines) throws IOException {
        client.headers(1, false, POST).data(1, false, "a").largeHeaders(1, lines);
        Answer answer = client.answer(1);
        assertThat(answer.sections).isNotEmpty();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.field("remora-error")).isNotNull();
        assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
    }

    /** Head and trailers have one bound together. */
    @Test
    void trailersBesideALargeHead() throws IOException {
        client.headers(1, false, with(POST, "x", "a".repeat(15_000), "y", "a".repeat(1_000)));
        client.data(1, false, "a").largeHeaders(1, "z", "a".repeat(15_000), "z", "a".repeat(2_000));
        assertThat(client.answer(1).status()).isEqualTo(400);
    }

    @Test
    void transferCodingsOfTrailersAreNotPassedOn() throws IOException {
        client.headers(1, false, POST).data(1, false, "a").headers(1, true, "te", "trailers", "x-end", "yes");
        assertThat(client.answer(1).status()).isEqualTo(200);
        assertThat(atBackend()).contains("x-end: yes").doesNotContain("te: trailers");
    }
}
