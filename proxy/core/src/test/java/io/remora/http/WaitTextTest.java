package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WaitTextTest {
    @ParameterizedTest
    @CsvSource({
        "250, 250000000",
        "250ms, 250000000",
        "1.5s, 1500000000",
        "1m30s, 90000000000",
        "2h, 7200000000000",
        "1us, 1000",
        "7ns, 7",
        ".5s, 500000000",
        "24h, 86400000000000"
    })
    void readsMillisecondsAndDurations(String text, long ns) {
        assertThat(WaitText.ns(text)).isEqualTo(ns);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0s",
                "-1",
                "+1",
                "1.5",
                "1s5",
                "5 s",
                "s",
                ".s",
                "1..5s",
                "1d",
                "1S",
                "1s,2s",
                "25h",
                "1e9",
                "0x10",
                "1µs",
                "99999999999999999999999999999999"
            })
    void knowsNothingElse(String text) {
        assertThat(WaitText.ns(text)).isEqualTo(WaitText.NONE);
    }
}
