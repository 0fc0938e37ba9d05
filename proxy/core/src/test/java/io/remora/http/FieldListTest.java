package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FieldListTest {
    @ParameterizedTest
    @CsvSource({
        "'a', true",
        "'A', true",
        "'b, a', true",
        "'b,a,c', true",
        "' \ta\t , b', true",
        "',,a', true",
        "'b,', false",
        "'', false",
        "'ab', false",
        "'ba', false",
        "'b a', false",
        "'\"a\"', false",
        "'a;q=1', false",
    })
    void findsAToken(String value, boolean expected) {
        assertThat(FieldList.contains(value, "a")).isEqualTo(expected);
    }

    @Test
    void findsNoEmptyTokenInWhatIsNotEmpty() {
        assertThat(FieldList.contains("a", "")).isFalse();
    }

    @Test
    void tellsTheElementsOfEveryLine() {
        var fields = Heads.fields("X: a, b ,,c", "Y: d", "x:", "X: ,", "x: \te");
        assertThat(FieldList.elements(fields, FieldName.of("X"))).containsExactly("a", "b", "c", "e");
        assertThat(FieldList.elements(fields, FieldName.of("Z"))).isEmpty();
    }
}
