package io.remora.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.detect.RequestLine.Verdict;
import io.remora.testkit.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that begin a request, and all else, whole and octet by octet. */
final class RequestLineTest {
    private static final int MAX = 100;

    /** In one read, and octet by octet, which has to come to the same. */
    private static Verdict verdict(String octets) {
        Verdict whole = read(new RequestLine(MAX), octets);
        RequestLine line = new RequestLine(MAX);
        Verdict last = Verdict.OPEN;
        for (int i = 0; i < octets.length() && last == Verdict.OPEN; i++) {
            last = read(line, octets.substring(i, i + 1));
        }
        assertThat(last).as("octet by octet").isEqualTo(whole);
        return whole;
    }

    private static Verdict read(RequestLine line, String octets) {
        ByteBuf bytes = Unpooled.wrappedBuffer(Wire.bytes(octets));
        return line.read(bytes, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n",
                "GET / HTTP/1.0\n",
                "OPTIONS * HTTP/1.1\r\n",
                "CONNECT a:1 HTTP/1.1\r\n",
                "any-token http://a/b?c HTTP/1.1\r\nHost: a\r\n\r\n",
                "\r\n\r\nGET / HTTP/1.1\r\n",
                "\nGET / HTTP/1.1\r\n",
                "PRI * HTTP/2.0\r\n",
                // no requests by the letter, which a server may take for some
                "GET / HTTP/9.9\r\n",
                "GET  /  HTTP/1.1\r\n",
                "GET /a b HTTP/1.1\r\n",
                "GET /\tHTTP/1.0 HTTP/1.1\r\n",
                "GET / HTTP/1.1 \r\n",
                "GET / HTTP/1.1\t more\r\n",
                "GET / HTTP/1.1 HTTP/x\r\n",
                "GET /\u00e9 HTTP/1.1\r\n",
            })
    void isOfHttp(String octets) {
        assertThat(verdict(octets)).isEqualTo(Verdict.HTTP);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0016\u0003\u0001",
                "\u0000\u0000\u0000\u0008",
                "G\u0000",
                "GET\u0000",
                "GET /\u0000",
                "GET /\u007f",
                "GET\r\n",
                "GET\n",
                "GET \r\n",
                "GET key\r\n",
                "GET / HTTP/1.\r\n",
                "GET / HTTP/1.11\r\n",
                "GET / HTTP/11\r\n",
                "GET /HTTP/1.1\r\n",
                "GET / http/1.1\r\n",
                "GET / HTTP/1.1\rx",
                " GET / HTTP/1.1\r\n",
                "\r\rGET / HTTP/1.1\r\n",
                "*1\r\n$4\r\nPING\r\n",
                "SSH-2.0-x\r\n",
                "EHLO a.test\r\n",
                "PUB a 5\r\n",
            })
    void isOfSomethingElse(String octets) {
        assertThat(verdict(octets)).isEqualTo(Verdict.OTHER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "G", "GET", "GET ", "GET /", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "\r", "\r\n", "PRI * HT"})
    void isNotKnownYet(String octets) {
        assertThat(verdict(octets)).isEqualTo(Verdict.OPEN);
    }

    // ---- bounds

    @Test
    void isOfHttpWhereItIsTooLong() {
        String line = "GET /" + "a".repeat(MAX - 6);
        assertThat(verdict(line)).isEqualTo(Verdict.OPEN);
        assertThat(verdict(line + "a")).isEqualTo(Verdict.HTTP);
    }

    @Test
    void hasAMethodOfBoundedLength() {
        assertThat(verdict("M".repeat(64) + " / HTTP/1.1\r\n")).isEqualTo(Verdict.HTTP);
        assertThat(verdict("M".repeat(65))).isEqualTo(Verdict.OTHER);
    }

    @Test
    void doesNotBeginBehindEndlessEmptyLines() {
        assertThat(verdict("\r\n".repeat(MAX / 2 - 1))).isEqualTo(Verdict.OPEN);
        assertThat(verdict("\r\n".repeat(MAX / 2))).isEqualTo(Verdict.OTHER);
    }
}
