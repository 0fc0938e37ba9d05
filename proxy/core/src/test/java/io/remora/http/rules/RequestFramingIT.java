package io.remora.http.rules;

import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.chunked;
import static io.remora.http.rules.Messages.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.Wire;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a request ends: Content-Length, Transfer-Encoding and chunks. */
@Contract
final class RequestFramingIT {
    private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    static final Bench BENCH = new Bench();

    @Test
    @DisplayName("Row 18: chunked is decoded and applied once")
    void row18_chunkedOnce() {
        RawRequest request = BENCH.forwarded(chunked("3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n"));
        assertThat(request.bodyText()).isEqualTo("abc0123456789");
        assertThat(request.fields().all("transfer-encoding")).containsExactly("chunked");
        BENCH.mark();
        BENCH.refused(post("0\r\n\r\n", "Transfer-Encoding: chunked, chunked"), 400);
        BENCH.refused(post("0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Content-Length: 6\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 6",
                "Content-Length: 0\r\nTransfer-Encoding: chunked",
                "Content-Length: 6\r\nX: y\r\ntransfer-encoding: Chunked",
                "Content-Length: 6\r\nTransfer-Encoding: identity",
                "Content-Length: 6\r\nTransfer-Encoding:",
            })
    @DisplayName("Row 21: Content-Length with Transfer-Encoding is refused, and the connection closed")
    void row21_lengthAndCoding(String lines) {
        BENCH.refused(post("0\r\n\r\nG" + SMUGGLED, lines), 400);
    }

    @Test
    @DisplayName("Row 22: Content-Length never travels beside Transfer-Encoding")
    void row22_lengthNeverForwardedWithCoding() {
        String both = post("5\r\nhello\r\n0\r\n\r\n" + SMUGGLED, "Content-Length: 4", "Transfer-Encoding: chunked");
        BENCH.refused(both, 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                "Transfer-Encoding: gzip"
            })
    @DisplayName("Row 23: Transfer-Encoding in HTTP/1.0")
    void row23_codingInOldVersion(String lines) {
        BENCH.refused(bare("POST / HTTP/1.0", "Host: app", lines) + "0\r\n\r\n" + SMUGGLED, 400);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"gzip, chunked", "deflate,chunked", "foo, chunked", "gzip, deflate , chunked", "x;a=b, chunked"})
    @DisplayName("Row 24: a transfer coding that is not known")
    void row24_unknownCoding(String codings) {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding: " + codings), 501);
    }

    @Test
    @DisplayName("Row 24: over two lines too")
    void row24_unknownCodingOverTwoLines() {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"), 400, 501);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"POST / HTTP/1.1", "PUT / HTTP/1.1", "PATCH / HTTP/1.1", "POST / HTTP/1.0"})
    @DisplayName("RFC 9110 8.6: a method with a meaning for content says that there is none")
    void noContentIsStatedWhereSomeIsExpected(String requestLine) {
        RawRequest request = BENCH.forwarded(bare(requestLine, "Host: app"));
        assertThat(request.fields().all("Content-Length")).containsExactly("0");
        assertThat(request.bodyText()).isEmpty();
        BENCH.mark();
        assertThat(BENCH.forwarded(bare("DELETE / HTTP/1.1", "Host: app"))
                        .fields()
                        .has("Content-Length"))
                .isFalse();
    }

    @Test
    @DisplayName("Row 25: chunked messages carry no Content-Length, either way")
    void row25_noLengthWithCoding() {
        String backend = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
        var response = BENCH.answered(chunked("1\r\na\r\n0\r\n\r\n"), "POST", backend);
        assertThat(response.bodyText()).isEqualTo("ok");
        assertThat(response.fields().has("content-length")).isFalse();
        assertThat(BENCH.requestsAtBackend()).singleElement().satisfies(request -> {
            assertThat(request.bodyText()).isEqualTo("a");
            assertThat(request.fields().has("content-length")).isFalse();
        });
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: gzip",
                "Transfer-Encoding: chunked, gzip",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunkedx",
                "Transfer-Encoding: chunked;q=1",
                "Transfer-Encoding: \"chunked\"",
                "Transfer-Encoding: chunked chunked",
                "Transfer-Encoding: chun ked",
                "Transfer-Encoding: chunked\u000b",
                "Transfer-Encoding: \u000bchunked",
                "Transfer-Encoding: chunked\u0000",
                "Transfer-Encoding: chunked\u00a0",
                "Transfer-Encoding:",
                "Transfer-Encoding: ,",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding:",
            })
    @DisplayName("Row 26: chunked is not the final coding")
    void row26_chunkedNotFinal(String lines) {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, lines), 400);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Content-Length: 1,2",
                "Content-Length: 1, 1",
                "Content-Length: 1\r\nContent-Length: 1",
                "Content-Length: 1\r\nContent-Length: 2",
                "Content-Length: 1\r\nX: y\r\ncontent-length: 0",
                "Content-Length: +1",
                "Content-Length: -1",
                "Content-Length: -0",
                "Content-Length: 0x1",
                "Content-Length: 1 2",
                "Content-Length:",
                "Content-Length: 1;",
                "Content-Length: 1.0",
                "Content-Length: 1e1",
                "Content-Length: a",
                "Content-Length: \"1\"",
                "Content-Length: 1_0",
                "Content-Length: \u00b9",
                "Content-Length: 1\u0000",
                "Content-Length: 1\u000b",
                "Content-Length: 1L",
                "Content-Length: 9223372036854775808",
                "Content-Length: 18446744073709551617",
                "Content-Length: 99999999999999999999999999",
            })
    @DisplayName("Row 27: an invalid Content-Length")
    void row27_invalidLength(String lines) {
        BENCH.refused(post("a" + SMUGGLED, lines), 400);
    }

    @Test
    @DisplayName("Row 29: a request shorter than its Content-Length is cut, not completed")
    void row29_requestCutShort() throws IOException {
        RawClient client = BENCH.client();
        client.send(post("12345", "Content-Length: 10")).shutdownOutput();
        String answer = Wire.text(client.readToEnd());
        assertThat(answer).doesNotStartWith("HTTP/1.1 2");
        assertCutAtBackend();
    }

    @Test
    @DisplayName("Row 29: chunked without its last chunk likewise")
    void row29_chunkedCutShort() throws IOException {
        RawClient client = BENCH.client();
        client.send(chunked("5\r\nhello\r\n")).shutdownOutput();
        assertThat(Wire.text(client.readToEnd())).doesNotStartWith("HTTP/1.1 2");
        assertCutAtBackend();
    }

    private static void assertCutAtBackend() {
        BENCH.sidecar().awaitIdle();
        String received = Wire.text(BENCH.atBackend());
        assertThat(received).doesNotContain("\r\n0\r\n\r\n");
        assertThat(received.isEmpty() || BENCH.backend.openConnections() == 0).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"042", "00", "0000000000000000000001"})
    @DisplayName("Row 56: a length that is not in its plain form")
    void row56_lengthNotPlain(String length) {
        BENCH.refused(post("a".repeat(42), "Content-Length: " + length), 400);
    }

    @Test
    @DisplayName("Section 3: gzip, chunked is not chunked")
    void gap_codingBeforeChunked() {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding: gzip, chunked"), 501);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"chunked,", ",chunked", ", chunked ,", "chunked, ,"})
    @DisplayName("Row 26: a list with empty members is none")
    void row26_emptyMembers(String codings) {
        BENCH.refused(post("0\r\n\r\n" + SMUGGLED, "Transfer-Encoding: " + codings), 400, 501);
    }
}
