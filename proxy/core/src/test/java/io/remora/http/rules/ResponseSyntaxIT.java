package io.remora.http.rules;

import static io.remora.http.rules.Messages.ok;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a backend may write, what is mended, and what becomes 502. */
@Contract
final class ResponseSyntaxIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    /** The verdict on a broken backend: 502 for the client, none of the backend's bytes, and its connection closed. */
    private static void badGateway(String backendOctets) {
        RawResponse response = BENCH.answered(backendOctets);
        assertThat(response.status()).as(response.toString()).isEqualTo(502);
        assertThat(response.field("Remora-Error")).isNotBlank();
        assertThat(response.toString()).doesNotContain("LEAKED");
        Await.until("backend connection closed", () -> BENCH.backend.openConnections() == 0);
    }

    @Test
    @DisplayName("Row 1: response values are octets")
    void row01_responseValuesAreOctets() {
        String octets = "\u00e2\u0080\u00a8 \u00c4\u008a \u00ff";
        assertThat(BENCH.answered(ok("", "X: " + octets, "Content-Length: 0")).field("X"))
                .isEqualTo(octets);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nX: a\rLEAKED: b\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX\r: a\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 O\rLEAKED\r\nContent-Length: 0\r\n\r\n",
            })
    @DisplayName("Row 2: a bare CR in a response")
    void row02_bareCarriageReturnInResponse(String response) {
        badGateway(response);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(strings = {"HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 200"})
    @DisplayName("Row 12: a SP stands behind the status code even without a reason")
    void row12_spaceBehindStatus(String statusLine) throws IOException {
        BENCH.backend.reply(statusLine + "\r\nContent-Length: 2\r\n\r\nok");
        RawClient client = BENCH.client();
        String raw = Wire.text(client.send(Messages.get("Connection: close")).readToEnd());
        assertThat(raw).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nok");
    }

    @Test
    @DisplayName("Row 14: white space before a colon is removed from responses")
    void row14_whitespaceBeforeColonInResponse() throws IOException {
        BENCH.backend.reply(ok("ok", "Foo : x", "Content-Length\t: 2"));
        RawClient client = BENCH.client();
        String raw = Wire.text(client.send(Messages.get("Connection: close")).readToEnd());
        assertThat(raw).startsWith("HTTP/1.1 200 ").contains("\r\nFoo: x\r\n").endsWith("\r\n\r\nok");
    }

    @Test
    @DisplayName("Rows 16 and 17: a folded line in a response becomes one line")
    void row16_foldedLineInResponse() {
        RawResponse response = BENCH.answered(ok("ok", "Foo: a", " b", "\tc", "Content-Length: 2"));
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("Foo")).isEqualTo("a b c");
        assertThat(response.bodyText()).isEqualTo("ok");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 -20 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1\t200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.7 200 OK\r\nContent-Length: 0\r\n\r\n",
                "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "ICY 200 OK\r\nContent-Length: 0\r\n\r\n",
                " HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "LEAKED\r\n\r\n",
                "\0\0\0\0LEAKED\r\n\r\n",
                "HTTP/1.1 200 OK\r\nFoo\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n: a\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n Foo: a\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nF\0oo: a\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nFo(o: a\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                "HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 O\u0007K\r\nContent-Length: 0\r\n\r\n",
            })
    @DisplayName("Section 1: a malformed response becomes 502, and its bytes stay here")
    void gap_malformedResponse(String response) {
        badGateway(response);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Content-Length: a",
                "Content-Length: -1",
                "Content-Length: +2",
                "Content-Length: 0x2",
                "Content-Length:",
                "Content-Length: 2, 2",
                "Content-Length: 2\r\nContent-Length: 2",
                "Content-Length: 2\r\nContent-Length: 3",
                "Content-Length: 99999999999999999999",
                "Content-Length: 2\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding:",
            })
    @DisplayName("Row 28: broken framing of a response is 502, and the backend's connection is closed")
    void row28_invalidLengthInResponse(String lines) {
        badGateway(ok("ok", lines));
    }

    @Test
    @DisplayName("Row 23: Transfer-Encoding in an HTTP/1.0 response")
    void row23_codingInOldResponse() {
        badGateway("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "a\0LEAKED",
                "a\nLEAKED: b",
                "a\u0001LEAKED",
                "a\u000bLEAKED",
                "a\u007fLEAKED",
                "a\u001b[0mLEAKED"
            })
    @DisplayName("Row 44: control characters in a response's value")
    void row44_controlCharactersInResponse(String value) {
        badGateway(ok("ok", "X: " + value, "Content-Length: 2"));
    }

    @Test
    @DisplayName("Row 45: a response without Date gets one, a Date that is there stays")
    void row45_date() {
        String made = BENCH.answered(ok("ok", "Content-Length: 2")).field("Date");
        ZonedDateTime date = ZonedDateTime.parse(made, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT));
        assertThat(date)
                .isBetween(
                        ZonedDateTime.now().minusMinutes(1), ZonedDateTime.now().plusMinutes(1));
        assertThat(made).matches("[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT");
        String old = "Thu, 01 Jan 1970 00:00:00 GMT";
        assertThat(BENCH.answered(ok("ok", "Content-Length: 2", "Date: " + old))
                        .fields()
                        .all("Date"))
                .containsExactly(old);
    }

    @Test
    @DisplayName("Row 56: a length that is not in its plain form is not passed on")
    void row56_responseLengthNotPlain() {
        RawResponse response = BENCH.answered(ok("ok", "Content-Length: 02"));
        assertThat(response.fields().all("Content-Length")).hasSize(1).doesNotContain("02");
        assertThat(response.status()).isIn(200, 502);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "a",
                "-1",
                "+5",
                "5, 5",
                "5\r\nContent-Length: 5",
                "5\r\nContent-Length: 6",
                "0x5",
                "99999999999999999999",
                ""
            })
    @DisplayName("Row 56: nor is a malformed one of a response that has no content to measure")
    void row56_malformedLengthWithoutContent(String length) {
        String head = Messages.request("HEAD / HTTP/1.1");
        assertThat(BENCH.answered(head, "HEAD", ok("", "Content-Length: " + length))
                        .status())
                .isEqualTo(502);
        badGateway("HTTP/1.1 304 Not Modified\r\nContent-Length: " + length + "\r\n\r\n");
    }
}
