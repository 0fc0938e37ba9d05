package io.remora.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestTest {
    private static final List<String> KEYS = List.of("timeouts", "limits", "endpoints");

    @ParameterizedTest
    @CsvSource({
        "timeout, timeouts",
        "Timeouts, timeouts",
        "tiemouts, timeouts",
        "limit, limits",
        "limts, limits",
        "endpiont, endpoints",
    })
    void isMeantByAWordCloseToIt(String word, String meant) {
        assertThat(Nearest.hint(word, KEYS)).contains("did you mean").contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"x", "listeners", "lists-of-things", "''"})
    void isNotGuessed(String word) {
        assertThat(Nearest.hint(word, KEYS)).isEqualTo(", expected one of timeouts, limits, endpoints");
    }

    @Test
    void isTheOnlyOneThereIs() {
        assertThat(Nearest.hint("x", List.of("address"))).isEqualTo(", expected address");
    }
}
