package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.keys.Units;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0h",
        "1, 1ns",
        "1500, 1500ns",
        "2000, 2us",
        "250000000, 250ms",
        "1000000000, 1s",
        "90000000000, 90s",
        "60000000000, 1m",
        "3600000000000, 1h",
        "86400000000000, 24h",
    })
    void spellADurationShort(long ns, String expected) {
        assertThat(Units.DURATION.format(ns)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, 1B", "1000, 1KB", "1024, 1KiB", "1048576, 1MiB", "1000000, 1MB", "1025, 1025B", "1073741824, 1GiB"})
    void spellASizeShort(long bytes, String expected) {
        assertThat(Units.SIZE.format(bytes)).isEqualTo(expected);
    }
}
