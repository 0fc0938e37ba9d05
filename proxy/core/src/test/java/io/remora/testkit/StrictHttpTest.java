package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The judge is judged: what it must let pass, and what it must not. */
final class StrictHttpTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: a:80\r\nX-Empty:\r\n\r\n",
                "GET //a/../b%2f?x=%00;y HTTP/1.1\r\nHost: [::1]:8080\r\nX: \u00e2\u0080\u00a8\tb\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
                "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: 1\r\n\r\n",
            })
    void acceptsAValidRequest(String request) throws IOException {
        assertThat(StrictHttp.requests(Wire.bytes(request))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
                "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
                "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /\u0080 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX: b\u0000c\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX\u00e2: b\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 01\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: b\r\n\r\n",
            })
    void seesAViolation(String request) {
        assertThatThrownBy(() -> StrictHttp.requests(Wire.bytes(request))).isInstanceOf(StrictHttp.Violation.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n\r\nX",
            })
    void seesAnEndThatIsTooEarly(String request) {
        assertThatThrownBy(() -> StrictHttp.requests(Wire.bytes(request))).isInstanceOf(EOFException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 0, 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nFoo : 0\r\n\r\n",
            })
    void seesAViolationInAResponse(String response) {
        assertThatThrownBy(() -> StrictHttp.response(new ByteArrayInputStream(Wire.bytes(response)), "GET"))
                .isInstanceOf(StrictHttp.Violation.class);
    }

    @Test
    void keepsInterimResponsesApart() throws IOException {
        String wire = "HTTP/1.1 103 \r\nLink: a\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok";
        RawResponse response = StrictHttp.response(new ByteArrayInputStream(Wire.bytes(wire)), "GET");
        assertThat(response.interim()).extracting(RawResponse::status).containsExactly(103);
        assertThat(response.bodyText()).isEqualTo("ok");
    }

    @Test
    void expectsNoBodyBehindHead() throws IOException {
        String wire = "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n";
        assertThat(StrictHttp.response(new ByteArrayInputStream(Wire.bytes(wire)), "HEAD")
                        .body())
                .isEmpty();
    }
}
