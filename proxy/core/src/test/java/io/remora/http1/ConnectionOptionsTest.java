package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ConnectionOptionsTest {
    /** Of a request; a response with the same fields must say the same. */
    private static boolean asksToClose(String... lines) {
        ResponseParser response = Parsing.head(new ResponseParser(Parsing.RESPONSE), "HTTP/1.1 200 OK", lines);
        boolean asksToClose = Parsing.request("GET http://a/ HTTP/1.0", lines).asksToClose();
        assertThat(response.isKeptAlive()).isEqualTo(!asksToClose);
        return asksToClose;
    }

    @Test
    void endsWhereASenderSaysSo() {
        assertThat(asksToClose("Connection: close")).isTrue();
        assertThat(asksToClose("connection: CLOSE")).isTrue();
        assertThat(asksToClose("Connection: keep-alive, close")).isTrue();
        assertThat(asksToClose("Connection: X-A", "Connection: close")).isTrue();
    }

    @Test
    void goesOnOtherwise() {
        assertThat(asksToClose()).isFalse();
        assertThat(asksToClose("Connection: keep-alive")).isFalse();
        assertThat(asksToClose("Connection: closed, xclose")).isFalse();
        assertThat(asksToClose("X: close", "Proxy-Connection: close")).isFalse();
    }

    /** An endpoint that speaks HTTP/1.0 is not asked to go on. */
    @Test
    void doesNotGoOnInAnOldResponse() {
        ResponseParser old =
                Parsing.head(new ResponseParser(Parsing.RESPONSE), "HTTP/1.0 200 OK", "Connection: keep-alive");
        assertThat(old.isKeptAlive()).isFalse();
    }

    @Test
    void tellsOneFromTheOther() {
        assertThat(Parsing.head(Parsing.requestParser(), "GET / HTTP/1.1", "Host: a", "Connection: ,te, Upgrade,X")
                        .connectionOptions())
                .isEqualTo(ConnectionOptions.TE | ConnectionOptions.UPGRADE | ConnectionOptions.OTHER);
    }
}
