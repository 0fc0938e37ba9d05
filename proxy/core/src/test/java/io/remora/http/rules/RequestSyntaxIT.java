package io.remora.http.rules;

import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawRequest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Request lines and field lines, octet by octet. */
@Contract
final class RequestSyntaxIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("Row 1: messages are octets, nothing is decoded before it is delimited")
    void row01_messagesAreOctets() {
        String lineSeparator = "\u00e2\u0080\u00a8";
        String dottedC = "\u00c4\u008a";
        RawRequest request = BENCH.forwarded(get("X-A: a" + lineSeparator + "X-B: b", "X-C: " + dottedC + "X-D: d"));
        assertThat(request.field("X-A")).isEqualTo("a" + lineSeparator + "X-B: b");
        assertThat(request.field("X-C")).isEqualTo(dottedC + "X-D: d");
        assertThat(request.fields().has("X-B")).isFalse();
        BENCH.mark();
        BENCH.refused(get("X" + lineSeparator + ": a"), 400);
        BENCH.refused(get(dottedC + "X: a"), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "GET /\r HTTP/1.1\r\nHost: app\r\n\r\n",
                "GET / HTTP/1.1\r\r\nHost: app\r\n\r\n",
                "G\rET / HTTP/1.1\r\nHost: app\r\n\r\n",
                "GET / HTTP/1.1\rHost: app\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nFoo: a\rb\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nFoo: a\r\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nFo\ro: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nFoo:\ra\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\n\rFoo: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nFoo: a\rTransfer-Encoding: chunked\r\n\r\n",
            })
    @DisplayName("Row 2: a bare CR outside content is invalid")
    void row02_bareCarriageReturn(String request) {
        BENCH.refused(request, 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {" X: y", "\tX: y", " Host: evil", "  ", "\t"})
    @DisplayName("Row 3: white space between the request line and the first field line")
    void row03_whitespaceBeforeFirstField(String line) {
        BENCH.refused(bare("GET / HTTP/1.1", line, "Host: app"), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"\r\n", "\r\n\r\n", "\r\n\r\n\r\n\r\n"})
    @DisplayName("Row 4: empty lines before a request line are skipped")
    void row04_emptyLinesBeforeRequestLine(String before) {
        BENCH.forwarded(before + Messages.GET);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"\0", "\1", "\r", "\n", "\n\n", " ", " \r\n", "\t", "\0\r\n", "\u001c", "\u007f", "\u00a0"})
    @DisplayName("Row 4: anything else before a request line is not skipped")
    void row04_otherOctetsBeforeRequestLine(String before) {
        BENCH.refused(before + Messages.GET, 400);
    }

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
                "GET /\tHTTP/1.1",
                "GET\u000b/\u000bHTTP/1.1",
                "GET\f/ HTTP/1.1",
                "GET / HTTP/1.1 x",
                "GET / http/1.1",
                "GET / HTTP/1.1.1",
                "GET / HTTP/11",
                "GET / HTTP/1",
                "GET / HTTP/1.",
                "GET / HTTP/.1",
                "GET / HTTP/01.1",
                "GET / HTTP/1.01",
                "GET / HTTP/+1.1",
                "GET / HTTP /1.1",
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
                "G@T / HTTP/1.1",
                "GE\0T / HTTP/1.1",
                "G\u00cbT / HTTP/1.1",
                "\"GET\" / HTTP/1.1",
                "GET / HTTP/1.1HTTP/1.1",
            })
    @DisplayName("Row 7: an invalid request line is refused, never corrected")
    void row07_invalidRequestLine(String requestLine) {
        BENCH.refused(request(requestLine), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {"Foo : x", "Foo\t: x", "Foo  : x", "Content-Length : 0", "Connection : close", ": x", " : x"})
    @DisplayName("Row 13: white space between a field name and its colon")
    void row13_whitespaceBeforeColon(String line) {
        BENCH.refused(get(line), 400);
        BENCH.refused(bare("GET / HTTP/1.1", "Host : app"), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Foo: a\r\n b",
                "Foo: a\r\n\tb",
                "Foo:\r\n a",
                "Foo: a\r\n ",
                "Foo: a\r\n Host: evil",
                "Transfer-Encoding:\r\n chunked",
                "Transfer-Encoding: chunked\r\n , identity",
                "Content-Length:\r\n 0",
                "Content-Length: 1\r\n 0",
            })
    @DisplayName("Row 15: a folded line in a request")
    void row15_foldedLine(String lines) {
        BENCH.refused(get(lines), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {"Foo", "Foo bar", "Fo o: a", "F(o: a", "F\"o: a", "F\0o: a", "F\u0080o: a", "=?: a", "{a}: b"})
    @DisplayName("Section 3: a field line without a name that is a token")
    void gap_fieldNames(String line) {
        BENCH.refused(get(line), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"  ", "\t", "\u000b", "\f", "\r", " \t", "\u00a0", "\u0085", "\0", ""})
    @DisplayName("Section 3: separators of the request line other than one SP")
    void gap_requestLineSeparators(String separator) {
        BENCH.refused(request("GET" + separator + "/ HTTP/1.1"), 400);
        BENCH.refused(request("GET /" + separator + "HTTP/1.1"), 400);
        BENCH.refused(request(separator + "GET / HTTP/1.1" + separator + separator + "x"), 400);
    }
}
