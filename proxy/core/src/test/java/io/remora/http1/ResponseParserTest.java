package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.ResponseHead;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ResponseParserTest {
    /** The transcript of a message that gets the same one however it is cut. */
    private static String parsed(String octets, boolean toHead, boolean switching) {
        byte[] bytes = Parsing.bytes(octets);
        String whole = Parsing.responses(octets, toHead, switching).toString();
        for (int cut = 1; cut < bytes.length; cut++) {
            assertThat(Parsing.responses(Parsing.pieces(bytes, cut), toHead, switching)
                            .toString())
                    .as("cut at %d", cut)
                    .isEqualTo(whole);
        }
        assertThat(Parsing.responses(Parsing.single(bytes), toHead, switching).toString())
                .as("octet by octet")
                .isEqualTo(whole);
        return whole;
    }

    private static String parsed(String octets) {
        return parsed(octets, false, false);
    }

    private static void refused(String octets) {
        assertThat(parsed(octets)).isEqualTo("refused BAD_RESPONSE");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "HTTP/1.1 200 OK, Content-Length: 2, 200 OK 2 2 kept",
        "HTTP/1.1 299 \u00e4 own\treason , Content-Length: 2, 299 \u00e4 own\treason 2 2 kept",
        "HTTP/1.1 200, Content-Length: 2, 200  2 2 kept",
        "HTTP/1.0 200 OK, Content-Length: 02, 200 OK 2 2",
        "HTTP/1.1 404 , Connection: Close, 404  -1 null",
        "HTTP/1.1 204 No Content, Content-Length: 5, 204 No Content 0 5 kept",
        "HTTP/1.1 304 Not Modified, Transfer-Encoding: chunked, 304 Not Modified 0 null kept",
    })
    void heads(String statusLine, String line, String head) {
        String status = statusLine.endsWith("reason") ? statusLine + " " : statusLine;
        assertThat(parsed(status + "\r\n" + line + "\r\n\r\n")).startsWith("head " + head);
    }

    @Test
    void headsToAHead() {
        assertThat(parsed(
                        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello", true, false))
                .isEqualTo("head 200 OK 0 5 kept\nend");
        assertThat(parsed("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", true, false))
                .isEqualTo("refused BAD_RESPONSE");
        assertThat(parsed("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", true, false))
                .isEqualTo("refused BAD_RESPONSE");
    }

    @Test
    void whatAProxyMends() {
        assertThat(parsed("HTTP/1.1 200 OK\r\nFoo : a\r\n b\r\n\tc \r\nBar\t:d\r\nContent-Length\t: 2\r\n\r\nok"))
                .isEqualTo("head 200 OK 2 2 kept\nfield Foo: a b c\nfield Bar: d\nbody ok\nend");
    }

    @Test
    void interimResponses() {
        assertThat(parsed("HTTP/1.1 103 Early Hints\r\nLink: a\r\nContent-Length: 7\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "2\r\nok\r\n0;x=\"\\\"\"\r\nX: a\r\n  b\r\n\r\nbehind"))
                .isEqualTo("head 103 Early Hints 0 7 kept\nfield Link: a\nend\n"
                        + "head 200 OK -1 null kept\nbody ok\ntrailer X: a b\nend");
    }

    @Test
    void switching() {
        String lines = "HTTP/1.1 101 S\r\nUpgrade: WebSocket\r\nConnection: x,upgrade\r\n\r\n";
        assertThat(parsed(lines, false, true)).startsWith("head 101 S 0");
        refused(lines);
        assertThat(parsed(lines.replace("WebSocket", "h2c"), false, true)).isEqualTo("refused BAD_RESPONSE");
        assertThat(parsed(lines.replace(",upgrade", ""), false, true)).isEqualTo("refused BAD_RESPONSE");
        assertThat(parsed(lines.replace("Upgrade:", "Upgrade: websocket\r\nUpgrade:"), false, true))
                .isEqualTo("refused BAD_RESPONSE");
    }

    @Test
    void aBodyWithoutFramingLastsUntilTheEnd() {
        assertThat(parsed("HTTP/1.1 200 OK\r\n\r\nall of it")).isEqualTo("head 200 OK -1 null kept\nbody all of it");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "nonsense",
                "\0\0HTTP/1.1 200 OK",
                "SSH-2.0-OpenSSH_9.2",
                "GET / HTTP/1.1",
                "HTTP/2 200",
                "HTTP/2.0 200 OK",
                "HTTP/0.9 200 OK",
                "HTTP/1.2 200 OK",
                "HTTP/1.1",
                "HTTP/1.1 OK",
                "HTTP/1.1 20 OK",
                "HTTP/1.1 099 Low",
                "HTTP/1.1 000 Low",
                "HTTP/1.1 2000 Long",
                "HTTP/1.1 -20 OK",
                "HTTP/1.1  200 OK",
                "HTTP/1.1\t200 OK",
                "HTTP/1.1 200\tOK",
                "http/1.1 200 OK",
                "ICY 200 OK",
                " HTTP/1.1 200 OK",
                "HTTP/1.1 200 O\0K",
                "HTTP/1.1 200 O\u0007K",
                "HTTP/1.1 200 O\rK",
                "HTTP/1.1 200 OK\u007f",
                "\r\nHTTP/1.1 200 OK",
                "",
                "HTTP/1.1 200 OK\nX: y"
            })
    void invalidStatusLines(String line) {
        refused(line + "\r\nContent-Length: 0\r\n\r\n");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "nocolon",
                "no colon",
                "two words: c",
                "Content-Length 2: 2",
                ": no name",
                " Foo: a",
                "F\0oo: a",
                "Fo(o: a",
                "X: \0",
                "X: a\rb",
                "X\r: a",
                "X: a\nb",
                "X: \u007f",
                "X: a\r\n b\0",
                "X:\r\n a",
                "X: a\r\n\rb",
                "Content-Length:",
                "Content-Length: a",
                "Content-Length: -1",
                "Content-Length: +2",
                "Content-Length: 0x2",
                "Content-Length: 2, 2",
                "Content-Length: 2\r\nContent-Length: 2",
                "Content-Length: 99999999999999999999",
                "Content-Length: 2\r\n 2",
                "Content-Length: 2\r\n ",
                "Content-Length: 2\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: identity",
                "Transfer-Encoding:",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\n "
            })
    void invalidFields(String lines) {
        refused("HTTP/1.1 200 OK\r\n" + lines + "\r\n\r\n");
    }

    @Test
    void codingInAnOldResponse() {
        refused("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    }

    @Test
    void limits() {
        String line = "HTTP/1.1 200 ";
        int most = 8 * 1_024 - line.length();
        assertThat(Parsing.responses(line + "y".repeat(most) + "\r\n\r\n", false, false)
                        .toString())
                .startsWith("head 200 y");
        assertThat(Parsing.responses(line + "y".repeat(most + 1), false, false).toString())
                .isEqualTo("refused BAD_RESPONSE");
        String line128 = "X: " + "y".repeat(125) + "\r\n";
        String full = "HTTP/1.1 200 OK\r\n" + line128.repeat(Parsing.RESPONSE.blockOctets() / 128);
        assertThat(Parsing.responses(full + "\r\n", false, false).toString()).startsWith("head 200 OK");
        assertThat(Parsing.responses(full + "a:\r\n\r\n", false, false).toString())
                .isEqualTo("refused BAD_RESPONSE");
        String many = "HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(ResponseHead.MAX_FIELDS);
        assertThat(Parsing.responses(many + "\r\n", false, false).toString()).startsWith("head 200 OK");
        assertThat(Parsing.responses(many + "a:\r\n\r\n", false, false).toString())
                .isEqualTo("refused BAD_RESPONSE");
        String folds = "HTTP/1.1 200 OK\r\nX: y\r\n" + " y\r\n".repeat(Parsing.RESPONSE.blockOctets() / 2);
        assertThat(Parsing.responses(folds, false, false).toString()).isEqualTo("refused BAD_RESPONSE");
        List<byte[]> octets = Parsing.single(Parsing.bytes(folds));
        assertThat(Parsing.responses(octets, false, false).toString()).isEqualTo("refused BAD_RESPONSE");
    }
}
