package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the parser says of a response's head as a whole. */
final class ResponseRulesTest {
    private static final String[] SWITCH = {"Connection: upgrade", "Upgrade: websocket"};

    private static ResponseParser parser(boolean toHead, boolean toUpgrade) {
        ResponseParser parser = new ResponseParser(Parsing.RESPONSE);
        parser.expect(toHead, toUpgrade);
        return parser;
    }

    private static @Nullable Failure judge(String status, boolean toUpgrade, String... lines) {
        return Parsing.failure(parser(false, toUpgrade), "HTTP/1.1 " + status + " OK", lines);
    }

    @ParameterizedTest
    @CsvSource({
        "99, false",
        "000, false",
        "099, false",
        "100, true",
        "200, true",
        "599, true",
        "600, true",
        "999, true",
        "1000, false",
        "0200, false"
    })
    void wantsAStatusOfThreeDigits(String status, boolean taken) {
        assertThat(judge(status, false)).isEqualTo(taken ? null : Failure.BAD_RESPONSE);
    }

    @Test
    void wantsToBeAskedForASwitch() {
        assertThat(judge("101", true, SWITCH)).isNull();
        assertThat(judge("101", false, SWITCH)).isEqualTo(Failure.BAD_RESPONSE);
        assertThat(judge("101", true)).isEqualTo(Failure.BAD_RESPONSE);
        assertThat(judge("101", true, "Connection: upgrade", "Upgrade: h2c")).isEqualTo(Failure.BAD_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "gzip, chunked", "chunked, chunked", "", "chunked;a"})
    void knowsOneTransferCoding(String coding) {
        String chunked = "Transfer-Encoding: Chunked";
        assertThat(judge("200", false, chunked)).isNull();
        assertThat(judge("200", false, "Transfer-Encoding: " + coding)).isEqualTo(Failure.BAD_RESPONSE);
        assertThat(judge("200", false, chunked, chunked)).isEqualTo(Failure.BAD_RESPONSE);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "10, 10", "007, 7", "000, 0"})
    void writesALengthPlainly(String length, String expected) {
        ResponseParser parser =
                Parsing.head(parser(false, false), "HTTP/1.1 200 OK", "X: y", "Content-Length: " + length);
        assertThat(Parsing.lines(parser.fields())).containsExactly("X: y", "Content-Length: " + expected);
        assertThat(parser.bodyLength()).isEqualTo(Long.parseLong(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "200, Content-Length: 5, false, 5",
        "200, Content-Length: 5, true, 0",
        "204, Content-Length: 5, false, 0",
        "304, Content-Length: 5, false, 0",
        "103, X: y, false, 0",
        "200, X: y, false, -1",
        "200, X: y, true, 0",
        "200, Transfer-Encoding: chunked, false, -1",
        "304, Transfer-Encoding: chunked, false, 0",
    })
    void tellsTheBodysLength(int status, String line, boolean toHead, long expected) {
        ResponseParser parser = Parsing.head(parser(toHead, false), "HTTP/1.1 " + status + " OK", line);
        assertThat(parser.bodyLength()).isEqualTo(expected);
        assertThat(parser.isChunked()).isEqualTo(line.endsWith("chunked") && expected < 0);
    }
}
