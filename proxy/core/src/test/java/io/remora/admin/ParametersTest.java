package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ParametersTest {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final String[] KNOWN = {"duration=10s", "hz=100", "progress=true", "kind=cpu"};

    private static long durationNs(Parameters given) {
        return given.durationNs("duration", NS_PER_S, NS_PER_S, 60 * NS_PER_S);
    }

    @Test
    void readsWhatIsGiven() {
        Parameters given = Parameters.of("/page?progress=true&duration=2500ms&hz=7&kind=a=b", KNOWN);
        assertThat(durationNs(given)).isEqualTo(2_500_000_000L);
        assertThat(given.number("hz", 100, 1_000)).isEqualTo(7);
        assertThat(given.flag("progress")).isTrue();
        assertThat(given.text("kind", "cpu")).isEqualTo("a=b");
    }

    @Test
    void hasDefaults() {
        Parameters given = Parameters.of("/page", KNOWN);
        assertThat(durationNs(given)).isEqualTo(NS_PER_S);
        assertThat(given.number("hz", 100, 1_000)).isEqualTo(100);
        assertThat(given.flag("progress")).isFalse();
        assertThat(given.text("kind", "cpu")).isEqualTo("cpu");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x=1 | 'x=1' is not a parameter, expected duration=10s or hz=100 or progress=true or kind=cpu",
                "hz | 'hz' is not a parameter",
                "=1 | '=1' is not a parameter",
                "hz=1& | '' is not a parameter",
                "hz=1&hz=1 | hz is given twice",
                "hz=0 | hz is '0', expected 1 to 1000",
                "hz=1001 | hz is '1001', expected 1 to 1000",
                "hz=99999999999999999999 | expected 1 to 1000",
                "hz= | hz is '', expected 1 to 1000",
                "hz=1x | hz is '1x', expected 1 to 1000",
                "duration=10 | duration is '10' without a unit, expected a duration such as 250ms, 10s, 5m or 1h",
                "duration=0s | duration is '0s', expected 1s to 1m",
                "duration=61s | duration is '61s', expected 1s to 1m",
                "progress=yes | progress is 'yes', expected true or false",
            },
            quoteCharacter = '`')
    void refusesWhatMakesNoSense(String query, String problem) {
        assertThatThrownBy(() -> {
                    Parameters given = Parameters.of("/page?" + query, KNOWN);
                    given.number("hz", 100, 1_000);
                    durationNs(given);
                    given.flag("progress");
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void aPageMayHaveNone() {
        assertThatThrownBy(() -> Parameters.of("/page?a=1")).hasMessage("'a=1' is not a parameter, expected none");
    }
}
