package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ViaTest {
    private final Via via = new Via("remora-1");

    @Test
    void goesBehindThoseThatAreThere() {
        var fields = Heads.fields("Via: 1.1 other", "X: y");
        via.append(fields, "1.1");
        via.append(fields, "1.0");
        assertThat(Heads.lines(fields))
                .containsExactly("Via: 1.1 other", "X: y", "Via: 1.1 remora-1", "Via: 1.0 remora-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1 remora-1",
                "1.0 remora-1",
                "HTTP/1.1 remora-1",
                "1.1 other, 1.1 remora-1",
                "1.1 remora-1 (a comment)",
                "1.1 \t remora-1",
                "1.1 remora-1\t(x), 1.1 other",
                "2 remora-1",
            })
    void knowsItself(String value) {
        assertThat(via.isLoop(Heads.request("GET", "/", "X: y", "via: " + value)))
                .isTrue();
        assertThat(via.isLoop(Heads.request("GET", "/", "Via: 1.1 other", "Via: " + value)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1 other",
                "1.1 remora-10",
                "1.1 remora-",
                "1.1 xremora-1",
                "remora-1",
                "1.1 Remora-1",
                "1.1 a (remora-1)",
                "",
                ","
            })
    void doesNotTakeOthersForItself(String value) {
        assertThat(via.isLoop(Heads.request("GET", "/", "Via: " + value))).isFalse();
    }
}
