package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http1.oracle.Transcript;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestParserTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n";

    /** The transcript of a message that gets the same one however it is cut. */
    private static String parsed(String octets) {
        return parsed(Parsing.REQUEST, octets);
    }

    private static String parsed(SectionRules rules, String octets) {
        byte[] bytes = Parsing.bytes(octets);
        String whole = Parsing.requests(rules, List.of(bytes)).toString();
        for (int cut = 1; cut < bytes.length; cut++) {
            assertThat(Parsing.requests(rules, Parsing.pieces(bytes, cut)).toString())
                    .as("cut at %d", cut)
                    .isEqualTo(whole);
        }
        assertThat(Parsing.requests(rules, Parsing.single(bytes)).toString())
                .as("octet by octet")
                .isEqualTo(whole);
        return whole;
    }

    private static void refused(String octets, Failure failure) {
        assertThat(parsed(octets)).isEqualTo("refused " + failure);
    }

    // ---- valid heads

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "GET /a?b=c HTTP/1.1, Host: app, GET /a?b=c app true 0",
        "PURGE / HTTP/1.0, Host: app, PURGE / app false 0",
        "GET / HTTP/1.0, X: y, GET / default.example false 0",
        "GET http://real:81/p?q HTTP/1.1, Host: other, GET /p?q real:81 true 0",
        "GET hTTps://real?q HTTP/1.1, Host: real, GET /?q real true 0",
        "GET http://real HTTP/1.0, X: y, GET / real false 0",
        "OPTIONS http://real HTTP/1.1, Host: real, OPTIONS * real true 0",
        "OPTIONS * HTTP/1.1, Host: real, OPTIONS * real true 0",
        "GET / HTTP/1.1, hOST:\t[::1]:80 , GET / [::1]:80 true 0",
        "POST / HTTP/1.1, Host: a%20b.c_d:, POST / a%20b.c_d: true 0",
    })
    void heads(String requestLine, String line, String head) {
        assertThat(parsed(requestLine + "\r\n" + line.replace("\\t", "\t") + "\r\n\r\n"))
                .startsWith("head " + head + "\n")
                .endsWith("end");
    }

    @Test
    void bodiesAndWhatFollows() {
        assertThat(parsed("\r\n\r\nPOST /1 HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nab" + GET
                        + "Connection: a, close\r\n\r\n"
                        + "POST /3 HTTP/1.1\r\n"
                        + "Host: app\r\n"
                        + "Transfer-Encoding: cHUnked\r\n\r\n"
                        + "3;a=b\r\n"
                        + "abc\r\n"
                        + "00A\r\n"
                        + "0123456789\r\n"
                        + "0\r\n"
                        + "X-T: 1\r\n\r\n\r\n"))
                .isEqualTo("head POST /1 app true 2\nfield Content-Length: 2\nbody ab\nend\n"
                        + "head GET / app true 0 close\nfield Connection: a, close\nend\n"
                        + "head POST /3 app true -1\nfield Transfer-Encoding: cHUnked\nbody abc0123456789\n"
                        + "trailer X-T: 1\nend");
    }

    @Test
    void fieldsKeepTheirOrderLettersAndOctets() {
        assertThat(parsed(GET + "x-B: 1\r\nX-a:2\r\nX-B: \r\n!#$%&'*+-.^_`|~09: \u00e4 \t b\t \r\n\r\n"))
                .isEqualTo("head GET / app true 0\nfield x-B: 1\nfield X-a: 2\nfield X-B: \n"
                        + "field !#$%&'*+-.^_`|~09: \u00e4 \t b\nend");
    }

    // ---- heads that are refused

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "GET  / HTTP/1.1",
                "GET /  HTTP/1.1",
                "GET /a b HTTP/1.1",
                "GET / HTTP/1.1 ",
                "GET / HTTP/1.1\t",
                " GET / HTTP/1.1",
                "GET\t/ HTTP/1.1",
                "GET\u000b/ HTTP/1.1",
                "GET / http/1.1",
                "GET / HTTP/1.1.1",
                "GET / HTTP/11",
                "GET / HTTP/1",
                "GET / HTTP/1.",
                "GET / HTTP/.1",
                "GET / HTTP/01.1",
                "GET / HTTP/+1.1",
                "GET / HTTPS/1.1",
                "GET / ICAP/1.0",
                "GET / HTTP/1.1\0",
                "GET /",
                "GET",
                "GET ",
                "GET HTTP/1.1",
                "GET  HTTP/1.1",
                "/ HTTP/1.1",
                "G(T / HTTP/1.1",
                "GE\0T / HTTP/1.1",
                "G\u00cbT / HTTP/1.1",
                "GET / HTTP/1.1\nX: y",
                "GET /\u00e4 HTTP/1.1",
                "GET /\u007f HTTP/1.1",
                "GET /#f HTTP/1.1",
                "GET x HTTP/1.1",
                "GET * HTTP/1.1",
                "OPTIONS ** HTTP/1.1",
                "GET http:// HTTP/1.1",
                "GET http:///p HTTP/1.1",
                "GET http://u@h/p HTTP/1.1",
                "GET http://h:x/p HTTP/1.1",
                "GET http:/h/p HTTP/1.1",
                "GET ftp://h/p HTTP/1.1",
                "CONNECT / HTTP/1.1",
                "CONNECT app HTTP/1.1",
                "CONNECT app: HTTP/1.1",
                "CONNECT app:65536 HTTP/1.1",
                "GET /\r HTTP/1.1",
                "GET / HTTP/1.1\r",
                "\rGET / HTTP/1.1",
                "\nGET / HTTP/1.1",
                "\0GET / HTTP/1.1"
            })
    void invalidRequestLines(String line) {
        refused(line + "\r\nHost: app\r\n\r\n", Failure.BAD_REQUEST);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Foo",
                "Foo bar",
                "Foo : x",
                "Foo\t: x",
                ": x",
                " X: y",
                "\tX: y",
                "Fo o: a",
                "F(o: a",
                "F\0o: a",
                "F\u0080o: a",
                "Foo: a\r\n b",
                "Foo:\r\n a",
                "Foo: a\rb",
                "Foo: a\r",
                "Foo: a\nb",
                "Foo: a\n",
                "Foo: \0",
                "Foo: \u007f",
                "Foo: \u000b",
                "\rFoo: a",
                "Foo: a\u001b[0m",
                "Host: app",
                "Host:",
                "Content-Length: ",
                "Content-Length: +1",
                "Content-Length: -0",
                "Content-Length: 1, 1",
                "Content-Length: 1\r\nContent-Length: 1",
                "Content-Length: 0x1",
                "Content-Length: 01",
                "Content-Length: 00",
                "Content-Length: 9223372036854775808",
                "Content-Length: 99999999999999999999999999",
                "Content-Length: \u00b2",
                "Content-Length: 1 2",
                "Transfer-Encoding:",
                "Transfer-Encoding: ,",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: gzip",
                "Transfer-Encoding: chunked, gzip",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunked;q=1",
                "Transfer-Encoding: \"chunked\"",
                "Transfer-Encoding: chunked\u00a0",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                "Content-Length: 0\r\nTransfer-Encoding: chunked",
                "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2"
            })
    void invalidFields(String lines) {
        refused("POST / HTTP/1.1\r\nHost: app\r\n" + lines + "\r\n\r\n", Failure.BAD_REQUEST);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "",
                "Host: ",
                "Host: a,b",
                "Host: a b",
                "Host: u@h",
                "Host: h/",
                "Host: h?q",
                "Host: h#f",
                "Host: h:port",
                "Host: h:80:80",
                "Host: h:-1",
                "Host: h:65536",
                "Host: h:99999999999999999999",
                "Host: [::1",
                "Host: ::1",
                "Host: [::1]x",
                "Host: [::g]",
                "Host: []",
                "Host: [h]",
                "Host: :80",
                "Host: h%",
                "Host: h%zz",
                "Host: h%4",
                "Host: h\u00e9",
                "Host: <h>",
                "Host: h^",
                "Host: a\r\nhost: a"
            })
    void invalidHosts(String lines) {
        refused("GET / HTTP/1.1\r\n" + (lines.isEmpty() ? "" : lines + "\r\n") + "\r\n", Failure.BAD_REQUEST);
        refused("GET http://app/ HTTP/1.1\r\n" + (lines.isEmpty() ? "" : lines + "\r\n") + "\r\n", Failure.BAD_REQUEST);
    }

    @Test
    void otherRefusals() {
        refused("GET / HTTP/2.0\r\nHost: app\r\n\r\n", Failure.UNSUPPORTED_VERSION);
        refused("GET / HTTP/1.2\r\nHost : app\r\n\r\n", Failure.BAD_REQUEST);
        refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Failure.UNSUPPORTED_VERSION);
        refused("CONNECT app:443 HTTP/1.1\r\nHost: app\r\n\r\n", Failure.CONNECT_REFUSED);
        refused(GET + "Transfer-Encoding: gzip, chunked\r\n\r\n", Failure.UNKNOWN_TRANSFER_CODING);
        refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Failure.BAD_REQUEST);
        refused("POST / HTTP/1.7\r\nTransfer-Encoding: chunked\r\n\r\n", Failure.BAD_REQUEST);
    }

    // ---- limits, each met exactly and passed by one

    @Test
    void requestLineLimit() {
        String target = "/" + "a".repeat(Parsing.LINE_OCTETS - "GET / HTTP/1.1".length());
        String tail = "\r\nHost: app\r\n\r\n";
        SectionRules rules = Parsing.REQUEST;
        for (int packing = 1; packing < 5_000; packing = packing * 7 + 1) {
            assertThat(inPieces(rules, "GET " + target + " HTTP/1.1" + tail, packing))
                    .startsWith("head GET " + target + " app");
            assertThat(inPieces(rules, "GET " + target + "a HTTP/1.1" + tail, packing))
                    .isEqualTo("refused TARGET_TOO_LONG");
            assertThat(inPieces(rules, "GET " + target + "a", packing)).isEmpty();
            assertThat(inPieces(rules, "GET " + "/".repeat(Parsing.LINE_OCTETS), packing))
                    .isEqualTo("refused TARGET_TOO_LONG");
            assertThat(inPieces(rules, "G\0T " + "/".repeat(Parsing.LINE_OCTETS), packing))
                    .isEqualTo("refused BAD_REQUEST");
        }
    }

    @Test
    void blockLimit() {
        int most = Parsing.BLOCK_OCTETS - "Host: app".length() - "X: ".length();
        for (int packing = 1; packing < 40_000; packing = packing * 9 + 1) {
            String value = "y".repeat(most);
            assertThat(inPieces(Parsing.REQUEST, GET + "X: " + value + "\r\n\r\n", packing))
                    .isEqualTo("head GET / app true 0\nfield X: " + value + "\nend");
            assertThat(inPieces(Parsing.REQUEST, GET + "X: " + value + "y\r\n\r\n", packing))
                    .isEqualTo("refused HEADERS_TOO_LARGE");
            assertThat(inPieces(Parsing.REQUEST, GET + "X: " + value + "yy", packing))
                    .isEqualTo("refused HEADERS_TOO_LARGE");
            assertThat(inPieces(Parsing.REQUEST, GET + "X".repeat(most + 4), packing))
                    .isEqualTo("refused HEADERS_TOO_LARGE");
        }
    }

    @Test
    void trailersCountAgainstTheBlock() {
        String head = GET + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ";
        int most = Parsing.BLOCK_OCTETS - "Host: appTransfer-Encoding: chunkedX: ".length();
        assertThat(inPieces(Parsing.REQUEST, head + "y".repeat(most) + "\r\n\r\n", 1_000))
                .endsWith("end");
        assertThat(inPieces(Parsing.REQUEST, head + "y".repeat(most + 1) + "\r\n\r\n", 1_000))
                .endsWith("refused BAD_REQUEST");
    }

    @Test
    void fieldLimit() {
        assertThat(inPieces(Parsing.REQUEST, GET + "X: y\r\n".repeat(99) + "\r\n", 1))
                .endsWith("end");
        assertThat(inPieces(Parsing.REQUEST, GET + "X: y\r\n".repeat(100) + "\r\n", 1))
                .isEqualTo("refused HEADERS_TOO_LARGE");
        String chunked = GET + "Transfer-Encoding: chunked\r\n\r\n0\r\n";
        assertThat(inPieces(Parsing.REQUEST, chunked + "X: y\r\n".repeat(100) + "\r\n", 3))
                .endsWith("end");
        assertThat(inPieces(Parsing.REQUEST, chunked + "X: y\r\n".repeat(101) + "\r\n", 3))
                .endsWith("refused HEADERS_TOO_LARGE");
    }

    private static String inPieces(SectionRules rules, String octets, int length) {
        byte[] bytes = Parsing.bytes(octets);
        int[] cuts = new int[(bytes.length - 1) / length];
        for (int i = 0; i < cuts.length; i++) {
            cuts[i] = (i + 1) * length;
        }
        return Parsing.requests(rules, Parsing.pieces(bytes, cuts)).toString();
    }

    // ---- what a connection asks

    @Test
    void aHeadHasBegunWithItsFirstOctet() {
        RequestParser parser = new RequestParser(Parsing.REQUEST, Octets.of("a"));
        assertThat(parser.hasBegun()).isFalse();
        for (String piece : new String[] {"\r", "\n\r\n", "\r\n\r\n\r"}) {
            assertThat(parse(parser, piece)).isEqualTo(Progress.MORE);
            assertThat(parser.hasBegun()).as(piece.replace("\r\n", "|")).isFalse();
        }
        assertThat(parse(parser, "\nG")).isEqualTo(Progress.MORE);
        assertThat(parser.hasBegun()).isTrue();
        assertThat(parse(parser, "ET / HTTP/1.1\r\nHost: app\r\n\r\n")).isEqualTo(Progress.DONE);
        assertThat(parser.method()).isSameAs("GET");
        parser.reset();
        assertThat(parser.hasBegun()).isFalse();
    }

    /** However many there are, they take no memory. */
    @Test
    void emptyLinesAreNotHeld() {
        RequestParser parser = new RequestParser(Parsing.REQUEST, Octets.of("a"));
        for (int i = 0; i < 10_000; i++) {
            assertThat(parse(parser, i % 2 == 0 ? "\r\n\r\n\r" : "\n\r\n")).isEqualTo(Progress.MORE);
        }
        assertThat(parser.octets.length).isLessThan(2_000);
    }

    @Test
    void whatIsBehindAHeadIsLeft() {
        ByteBuf in = Unpooled.wrappedBuffer(Parsing.bytes(GET + "\r\nbehind" + "x".repeat(5_000)));
        RequestParser parser = new RequestParser(Parsing.REQUEST, Octets.of("a"));
        assertThat(parser.parse(in)).isEqualTo(Progress.DONE);
        assertThat(in.readableBytes()).isEqualTo(5_006);
        assertThat(in.readByte()).isEqualTo((byte) 'b');
    }

    /** Arrays that grow on the way cost more than the lines for which they grow. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5})
    void aHeadHasRoomForTheLinesThatAreAdded(int added) {
        RequestParser parser = new RequestParser(Parsing.REQUEST, Octets.of("a"), added, 32 * added);
        Fields fields = Parsing.head(parser, "GET / HTTP/1.1", "Host: app").fields();
        int before = fields.heapBytes();
        for (int i = 0; i < 6 + added; i++) {
            fields.add(FieldName.of("X-Line-" + (char) ('a' + i)), "x".repeat(20));
            assertThat(fields.heapBytes()).isEqualTo(before);
        }
        fields.add(FieldName.of("X-More"), "");
        assertThat(fields.heapBytes()).isGreaterThan(before);
    }

    private static Progress parse(RequestParser parser, String octets) {
        ByteBuf in = Unpooled.wrappedBuffer(Parsing.bytes(octets));
        Progress progress = parser.parse(in);
        assertThat(in.isReadable()).isFalse();
        return progress;
    }

    // ---- underscores

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "Transfer_Encoding",
                "CONTENT_LENGTH",
                "Keep_Alive",
                "Proxy_Connection",
                "X_Forwarded_For",
                "X-Forwarded_Port",
                "x_forwarded_client_cert",
                "X_Request_Id",
                "X_Real_IP",
                "Max_Forwards",
                "Remora_Error",
                "Sec_WebSocket_Key1",
                "True_Client_IP",
                "X_Original_URL",
                "Proxy_Authorization"
            })
    void confusableNamesAreRefused(String name) {
        for (Underscores setting : Underscores.values()) {
            SectionRules rules = Parsing.request(setting);
            assertThat(parsed(rules, GET + name + ": a\r\n\r\n")).isEqualTo("refused BAD_REQUEST");
            assertThat(parsed(rules, GET + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + name + ": a\r\n\r\n"))
                    .endsWith("refused BAD_REQUEST");
        }
    }

    @Test
    void otherNamesWithUnderscores() {
        String octets = GET + "A: 1\r\nWeIrD_Name: 2\r\n_: 3\r\nContent_Type: 4\r\nB: 5\r\n\r\n";
        String head = "head GET / app true 0\nfield A: 1\n";
        assertThat(parsed(Parsing.request(Underscores.PASS), octets))
                .isEqualTo(head + "field WeIrD_Name: 2\nfield _: 3\nfield Content_Type: 4\nfield B: 5\nend");
        assertThat(parsed(Parsing.request(Underscores.DROP), octets)).isEqualTo(head + "field B: 5\nend");
        assertThat(parsed(Parsing.request(Underscores.REJECT), octets)).isEqualTo("refused BAD_REQUEST");
    }

    @Test
    void aDroppedTrailerTakesItsFoldedLinesWithIt() {
        Transcript seen = Parsing.requests(
                Parsing.request(Underscores.DROP),
                List.of(Parsing.bytes(
                        GET + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB_C: 2\r\n 3\r\nD: 4\r\n 5\r\n\r\n")));
        assertThat(seen.toString()).endsWith("trailer A: 1\ntrailer D: 4 5\nend");
    }

    /** Parsers of one thread share arrays, which hold 1 KiB and 32 lines. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 31, 32, 33, 90})
    void headsThatComeInTurnAreNotMixed(int lines) {
        RequestParser[] parsers = {Parsing.requestParser(), Parsing.requestParser()};
        for (String piece : List.of(GET.substring(0, 20), GET.substring(20))) {
            assertThat(parse(parsers[0], piece)).isEqualTo(Progress.MORE);
            assertThat(parse(parsers[1], piece)).isEqualTo(Progress.MORE);
        }
        for (int line = 0; line < lines; line++) {
            assertThat(parse(parsers[0], "a")).isEqualTo(Progress.MORE);
            assertThat(parse(parsers[1], "bcd: 23")).isEqualTo(Progress.MORE);
            assertThat(parse(parsers[0], ": 1\r\n")).isEqualTo(Progress.MORE);
            assertThat(parse(parsers[1], "45\r\n")).isEqualTo(Progress.MORE);
        }
        for (int which = 0; which < 2; which++) {
            assertThat(parse(parsers[which], "\r\n")).isEqualTo(Progress.DONE);
        }
        for (int which = 0; which < 2; which++) {
            assertThat(parsers[which].fields().size()).isEqualTo(lines + 1);
            assertThat(parsers[which].fields().value(0)).isEqualTo("app");
            for (int line = 1; line <= lines; line++) {
                assertThat(parsers[which].fields().name(line)).isEqualTo(which == 0 ? "a" : "bcd");
                assertThat(parsers[which].fields().value(line)).isEqualTo(which == 0 ? "1" : "2345");
            }
        }
    }
}
