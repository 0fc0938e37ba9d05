package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UpgradeTest {
    private static final String[] ASK = {"Connection: keep-alive, Upgrade", "Upgrade: WebSocket"};

    @Test
    void isWantedByAGetWithoutABody() {
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK), true)).isTrue();
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", "Connection: x", "Connection: upgrade", ASK[1]), true))
                .isTrue();
    }

    @Test
    void isNotWantedByOthers() {
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK), false)).isFalse();
        assertThat(Upgrade.isWanted(Heads.request("POST", "/", ASK), true)).isFalse();
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[0], ASK[1], "Content-Length: 1"), true))
                .isFalse();
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[0], ASK[1], "Transfer-Encoding: chunked"), true))
                .isFalse();
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[0]), true)).isFalse();
    }

    @Test
    void isNominated() {
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[1]), true)).isFalse();
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[1], "Connection: upgraded"), true))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2c", "websocket, h2c", "websocket/13", "TLS/1.0", ""})
    void isToWebsocketOnly(String protocol) {
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[0], "Upgrade: " + protocol), true))
                .isFalse();
        assertThat(Upgrade.isAccepted(Heads.fields(ASK[0], "Upgrade: " + protocol)))
                .isFalse();
    }

    @Test
    void isToOneProtocol() {
        assertThat(Upgrade.isWanted(Heads.request("GET", "/", ASK[0], ASK[1], ASK[1]), true))
                .isFalse();
    }

    @Test
    void isAcceptedInTheSameWords() {
        assertThat(Upgrade.isAccepted(Heads.fields(ASK))).isTrue();
        assertThat(Upgrade.isAccepted(Heads.fields(ASK[1]))).isFalse();
        assertThat(Upgrade.isAccepted(Heads.fields(ASK[0]))).isFalse();
    }

    @Test
    void isAskedForAgain() {
        var fields = Heads.fields("X: y", "Connection: z");
        Upgrade.restore(fields);
        assertThat(Heads.lines(fields)).containsExactlyInAnyOrder("X: y", "Connection: Upgrade", "Upgrade: websocket");
    }
}
