package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What may stand in a Host field. */
final class AuthorityTest {
    private static boolean isValid(String value) {
        Octets octets = within(value);
        return Authority.isValid(octets.array, octets.start, octets.end);
    }

    // between octets that must not be looked at
    private static Octets within(String value) {
        Octets all = Octets.of("a:" + value + "1]");
        return new Octets(all.array, 2, all.end - 2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "A.b-c_d~e",
                "a.",
                "1.2.3.4",
                "a:",
                "a:0",
                "a:65535",
                "a:00080",
                "%41",
                "!$&'()*+;=",
                "[::1]",
                "[::1]:80",
                "[v1.a:b]",
            })
    void takesHosts(String value) {
        assertThat(isValid(value)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ":", ":80", "a:65536", "a:99999999999", "a:-1", "a:8 0", "a:8x", "a:1:2", "a b", "a/b", "a?b",
                        "a#b", "a@b",
                "user:pw@a", "a,b", "\"a\"", "%", "%4", "%4g", "%g1", "%41%", "[]", "[::1", "::1]", "[::1]x", "[::1]80",
                        "[a%25b]",
                "[[::1]]", "a\u0000", "a\u0080", "\u00e4", " a", "a ", "a\t",
            })
    void refusesEverythingElse(String value) {
        assertThat(isValid(value)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "a, a",
        "A.Example, a.example",
        "a:80, a",
        "a:, a",
        "[::1]:80, [::1]",
        "[::A]:80, [::a]",
        "[::1], [::1]",
        "'', ''",
    })
    void knowsTheHostWithoutItsPort(String value, String host) {
        assertThat(Authority.hostOf(within(value))).isEqualTo(host);
    }

    @ParameterizedTest
    @CsvSource({
        "a:80, true",
        "[::1]:443, true",
        "a:65535, true",
        "a:65536, false",
        "a, false",
        "a:, false",
        ":80, false",
        "a:x, false",
        "a/b:80, false",
        "http://a:80, false",
    })
    void knowsWhetherThereIsAPort(String value, boolean expected) {
        Octets octets = within(value);
        assertThat(Authority.hasPort(octets.array, octets.start, octets.end)).isEqualTo(expected);
    }
}
