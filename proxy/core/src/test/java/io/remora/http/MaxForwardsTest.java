package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MaxForwardsTest {
    private static long of(String method, String... lines) {
        return MaxForwards.of(Heads.request(method, "/", lines));
    }

    @ParameterizedTest
    @CsvSource({"OPTIONS, 0, 0", "TRACE, 7, 7", "OPTIONS, 00012, 12", "OPTIONS, 999999999999999999, 999999999999999999"
    })
    void isANumber(String method, String value, long expected) {
        assertThat(of(method, "max-forwards: " + value)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "options", "HEAD"})
    void isNotForOtherMethods(String method) {
        assertThat(of(method, "Max-Forwards: x")).isEqualTo(MaxForwards.ABSENT);
    }

    @Test
    void mayBeAbsent() {
        assertThat(of("OPTIONS", "X: y")).isEqualTo(MaxForwards.ABSENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "+1", "1.0", "0x1", "1, 2", "1 2", "\u0661", "1000000000000000000"})
    void isRefused(String value) {
        assertThat(of("TRACE", "Max-Forwards: " + value)).isEqualTo(MaxForwards.INVALID);
    }

    @Test
    void isSaidOnce() {
        assertThat(of("TRACE", "Max-Forwards: 1", "Max-Forwards: 1")).isEqualTo(MaxForwards.INVALID);
    }

    @Test
    void isOneLessForTheNext() {
        RequestHead head = Heads.request("OPTIONS", "*", "max-forwards: 010");
        MaxForwards.decrement(head, 10);
        assertThat(head.fields.get("Max-Forwards")).isEqualTo("9");
    }
}
