package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EnvironmentTextTest {
    private static final Map<String, String> ENVIRONMENT =
            Map.of("PORT", "8081", "_h0st", "10.0.0.1", "EMPTY", "", "TRICK", "${PORT}", "YAML", "a: [b");

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "plain -> plain",
                "a$b -> a$b",
                "$ -> $",
                "100% {x} -> 100% {x}",
                "${PORT} -> 8081",
                "${_h0st}:${PORT} -> 10.0.0.1:8081",
                "x${EMPTY}y -> xy",
                "${NONE:-1} -> 1",
                "${EMPTY:-1} -> 1",
                "${PORT:-1} -> 8081",
                "x${NONE:-}y -> xy",
                "${NONE:-a:-b} -> a:-b",
                "$${PORT} -> ${PORT}",
                "$$${PORT} -> $${PORT}",
                "$${${PORT}} -> ${8081}",
                "$$ -> $$",
                "${TRICK} -> ${PORT}",
                "${YAML} -> a: [b",
            })
    void replaces(String text, String expected) {
        Problems problems = new Problems("f");

        assertThat(new EnvironmentText(ENVIRONMENT, problems).expand(text, 1, 1, true))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "a: ${NONE} -> 1:4",
                "a: x${PORT:-1}${NONE}y -> 1:15",
                "a: 'x${NONE}' -> 1:6",
                "a: \"x${NONE}\" -> 1:6",
                "a: \"\\x41${NONE}\" -> 1:4",
                "a: 'x''${NONE}' -> 1:4",
                "a: \uD83D\uDE00${NONE} -> 1:5",
                "a: ${ -> 1:4",
                "a: ${} -> 1:4",
                "a: ${1A} -> 1:4",
                "a: ${A B} -> 1:4",
                "a: ${A:=1} -> 1:4",
                "a: '${A:-${B}}' -> 1:5",
            })
    void reportsWhereItFails(String yaml, String position) {
        assertThat(Yaml.problems(yaml))
                .anySatisfy(problem ->
                        assertThat(problem).startsWith(position + ": ").containsAnyOf("variable", "'${'"));
    }

    @Test
    void leavesKeysAlone() {
        assertThat(Yaml.problems(Yaml.MINIMAL + "${PORT}: 1\n"))
                .singleElement()
                .asString()
                .startsWith("7:1: unknown key '${PORT}', expected one of admin, ");
    }

    @Test
    void reportsAWrongValueThatCameFromAVariable() {
        assertThat(Yaml.problems(Yaml.MINIMAL.replace("8080", "${PORT}")))
                .containsExactly(
                        "2:14: address '0.0.0.0:70000' has the port '70000', expected 0 (any free one) to 65535");
    }
}
