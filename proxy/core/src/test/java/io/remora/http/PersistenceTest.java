package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PersistenceTest {
    private static boolean asksToClose(String... lines) {
        return Persistence.asksToClose(Heads.fields(lines));
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
}
