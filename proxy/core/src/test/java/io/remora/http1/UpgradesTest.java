package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UpgradesTest {
    private static final String[] ASK = {"Connection: keep-alive, Upgrade", "Upgrade: WebSocket"};

    private static boolean isWanted(String requestLine, String... lines) {
        String[] withHost = new String[lines.length + 1];
        withHost[0] = "Host: a";
        System.arraycopy(lines, 0, withHost, 1, lines.length);
        Http1Request head = Parsing.request(requestLine, withHost);
        head.leaveConnection();
        assertThat(head.upgrade()).isIn("websocket", null);
        return head.upgrade() != null;
    }

    private static boolean isWantedByGet(String... lines) {
        return isWanted("GET / HTTP/1.1", lines);
    }

    private static boolean isAccepted(String... lines) {
        ResponseParser parser = new ResponseParser(Parsing.RESPONSE);
        parser.expect(false, true);
        Failure failure = Parsing.failure(parser, "HTTP/1.1 101 Switching Protocols", lines);
        assertThat(failure).isIn(null, Failure.BAD_RESPONSE);
        return failure == null;
    }

    @Test
    void isWantedByAGetWithoutABody() {
        assertThat(isWantedByGet(ASK)).isTrue();
        assertThat(isWantedByGet("Connection: x", "Connection: upgrade", ASK[1]))
                .isTrue();
    }

    @Test
    void isNotWantedByOthers() {
        assertThat(isWanted("GET / HTTP/1.0", ASK)).isFalse();
        assertThat(isWanted("POST / HTTP/1.1", ASK)).isFalse();
        assertThat(isWantedByGet(ASK[0], ASK[1], "Content-Length: 1")).isFalse();
        assertThat(isWantedByGet(ASK[0], ASK[1], "Transfer-Encoding: chunked")).isFalse();
        assertThat(isWantedByGet(ASK[0])).isFalse();
    }

    @Test
    void isNominated() {
        assertThat(isWantedByGet(ASK[1])).isFalse();
        assertThat(isWantedByGet(ASK[1], "Connection: upgraded")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2c", "websocket, h2c", "websocket/13", "TLS/1.0", ""})
    void isToWebsocketOnly(String protocol) {
        assertThat(isWantedByGet(ASK[0], "Upgrade: " + protocol)).isFalse();
        assertThat(isAccepted(ASK[0], "Upgrade: " + protocol)).isFalse();
    }

    @Test
    void isToOneProtocol() {
        assertThat(isWantedByGet(ASK[0], ASK[1], ASK[1])).isFalse();
    }

    @Test
    void isAcceptedInTheSameWords() {
        assertThat(isAccepted(ASK)).isTrue();
        assertThat(isAccepted(ASK[1])).isFalse();
        assertThat(isAccepted(ASK[0])).isFalse();
    }
}
