package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.BodyLength;
import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the parser says of a request's head as a whole. */
final class RequestRulesTest {
    private static final String HOST = "Host: a";

    private static @Nullable Failure judge(String method, String target, boolean http11, String... lines) {
        String requestLine = method + " " + target + (http11 ? " HTTP/1.1" : " HTTP/1.0");
        return Parsing.failure(Parsing.requestParser(), requestLine, lines);
    }

    private static @Nullable Failure judge(String... lines) {
        return judge("POST", "/", true, lines);
    }

    @Test
    void takesWhatIsPlain() {
        assertThat(judge(HOST)).isNull();
        assertThat(judge("HOST: a:80", "Content-Length: 10")).isNull();
        assertThat(judge(HOST, "Transfer-Encoding: chunked")).isNull();
        assertThat(judge(HOST, "transfer-encoding: Chunked")).isNull();
        assertThat(judge("GET", "/", false)).isNull();
    }

    @Test
    void refusesAnInvalidTarget() {
        assertThat(judge("GET", "a", true, HOST)).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge("GET", "*", true, HOST)).isEqualTo(Failure.BAD_REQUEST);
    }

    @Test
    void wantsOneHost() {
        assertThat(judge()).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge(HOST, HOST)).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge(HOST, "host: b")).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge("Host:")).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge("Host: a, b")).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge("GET", "http://a/", true)).isEqualTo(Failure.BAD_REQUEST);
    }

    /** An old client need not send one; if it does, the rules are the same. */
    @Test
    void wantsNoMoreThanOneHostOfHttp10() {
        assertThat(judge("GET", "/", false, HOST)).isNull();
        assertThat(judge("GET", "/", false, HOST, HOST)).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge("GET", "/", false, "Host: a b")).isEqualTo(Failure.BAD_REQUEST);
    }

    @ParameterizedTest
    @CsvSource({"0, true", "7, true", "10, true", "00, false", "07, false", "010, false"})
    void wantsAPlainLength(String length, boolean taken) {
        assertThat(judge(HOST, "Content-Length: " + length)).isEqualTo(taken ? null : Failure.BAD_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-1", "+1", "1 ,1", "1,1", "0x1", "1.0", "a", "9223372036854775808", "18446744073709551617"})
    void wantsALengthThatIsANumber(String length) {
        assertThat(judge(HOST, "Content-Length: " + length)).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge(HOST, "Content-Length: 1", "Content-Length: 1")).isEqualTo(Failure.BAD_REQUEST);
    }

    @Test
    void wantsOneFraming() {
        String chunked = "Transfer-Encoding: chunked";
        assertThat(judge(HOST, chunked, "Content-Length: 1")).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge(HOST, "Content-Length: 1", chunked)).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge(HOST, chunked, chunked)).isEqualTo(Failure.BAD_REQUEST);
        assertThat(judge("POST", "/", false, HOST, chunked)).isEqualTo(Failure.BAD_REQUEST);
    }

    /** Where chunked is not last, nobody can tell where the body ends: the request is bad rather than not understood. */
    @ParameterizedTest
    @CsvSource({
        "gzip, BAD_REQUEST",
        "'gzip, chunked', UNKNOWN_TRANSFER_CODING",
        "'chunked, gzip', BAD_REQUEST",
        "'chunked, chunked', BAD_REQUEST",
        "chunked;a=b, BAD_REQUEST",
        "xchunked, BAD_REQUEST",
        "identity, BAD_REQUEST",
        "'', BAD_REQUEST",
    })
    void knowsOneTransferCoding(String coding, Failure expected) {
        assertThat(judge(HOST, "Transfer-Encoding: " + coding)).isEqualTo(expected);
    }

    /** The handshake of a draft that had a body without saying so. */
    @Test
    void refusesAHiddenBody() {
        assertThat(judge("GET", "/", true, HOST, "Sec-WebSocket-Key1: a")).isNull();
        assertThat(judge("GET", "/", true, HOST, "Sec-WebSocket-Key1: a", "Sec-WebSocket-Key2: b"))
                .isEqualTo(Failure.BAD_REQUEST);
    }

    @ParameterizedTest
    @CsvSource({"a:443, CONNECT_REFUSED", "a, BAD_REQUEST", "/, BAD_REQUEST", "http://a:80/, BAD_REQUEST"})
    void refusesConnect(String target, Failure expected) {
        assertThat(judge("CONNECT", target, true, HOST)).isEqualTo(expected);
    }

    private static long bodyLength(String... lines) {
        return Parsing.head(Parsing.requestParser(), "POST http://a/ HTTP/1.1", lines)
                .bodyLength();
    }

    @Test
    void tellsTheBodysLength() {
        assertThat(bodyLength(HOST)).isEqualTo(BodyLength.NONE);
        assertThat(bodyLength(HOST, "Content-Length: 0")).isZero();
        assertThat(bodyLength(HOST, "content-length: 12345678901")).isEqualTo(12_345_678_901L);
        assertThat(bodyLength(HOST, "Transfer-Encoding: chunked")).isEqualTo(BodyLength.UNKNOWN);
    }
}
