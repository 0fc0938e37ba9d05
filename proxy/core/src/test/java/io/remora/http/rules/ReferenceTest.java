package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The second reading must itself read rightly, or the fuzzing compares nothing. */
final class ReferenceTest {
    @Test
    void readsWhatIsValid() {
        String get = "GET /a HTTP/1.1\r\nHost: app\r\n\r\n";
        assertThat(Reference.requests(get)).containsExactly("GET /a []");
        assertThat(Reference.requests("\r\n" + get + get)).containsExactly("GET /a []", "GET /a []");
        assertThat(Reference.requests("GET http://app?q HTTP/1.1\r\nHost: x\r\n\r\n"))
                .containsExactly("GET /?q []");
        assertThat(Reference.requests("GET / HTTP/1.0\r\n\r\n" + get)).containsExactly("GET / []");
    }

    @Test
    void readsBodies() {
        String post = "POST / HTTP/1.1\r\nHost: app\r\n";
        String get = "GET /a HTTP/1.1\r\nHost: app\r\n\r\n";
        assertThat(Reference.requests(post + "Content-Length: 3\r\n\r\nabc" + get))
                .containsExactly("POST / [abc]", "GET /a []");
        assertThat(Reference.requests(
                        post + "Transfer-Encoding: chunked\r\n\r\n1;x\r\na\r\n2\r\nbc\r\n0\r\n\r\n" + get))
                .containsExactly("POST / [abc]", "GET /a []");
        assertThat(Reference.requests(post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n" + get))
                .containsExactly("POST / []", "GET /a []");
        assertThat(Reference.requests(post + "Connection: a, Close\r\n\r\n" + get))
                .containsExactly("POST / []");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: app\r\n",
                "GET  / HTTP/1.1\r\nHost: app\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\n X: y\r\n\r\n",
                "GET / HTTP/1.1\nHost: app\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nab",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX : y\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            })
    void readsNothingElse(String octets) {
        assertThat(Reference.requests(octets)).isEmpty();
    }
}
