package io.remora.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The canonical spelling of a host. */
final class HostTextTest {
    @ParameterizedTest
    @CsvSource({
        "a, a",
        "App.Example, app.example",
        "app.example., app.example",
        "APP.example., app.example",
        "*.Wild.example., *.wild.example",
        "xn--BCHER-kva.example, xn--bcher-kva.example",
        "%61pp.ex%41mple, app.example",
        "app.example%2E, app.example",
        // decoded once
        "a%2561, a%2561",
        "a%2Fb%C3%A4, a%2fb%c3%a4",
        // what is no host
        "a..b, a..b",
        "app.example.., app.example.",
        "., .",
        "'', ''",
        "%, %",
        "%4, %4",
        "%zz, %zz",
    })
    void namesHaveOneSpelling(String host, String canonical) {
        assertThat(HostText.canonical(host)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "10.0.0.1., 10.0.0.1",
        "[::1], 0:0:0:0:0:0:0:1",
        "[0000::0:1], 0:0:0:0:0:0:0:1",
        "[FD00:0::A], fd00:0:0:0:0:0:0:a",
        "[::ffff:10.0.0.1], 10.0.0.1",
        "[::FFFF:0a00:0001], 10.0.0.1",
        // what is no address
        "[v1.A], [v1.a]",
        "[1::2::3], [1::2::3]",
        "[::1%25LO], [::1%25lo]",
        "[, [",
        "[], []",
        "127.1, 127.1",
        "0X7f.1, 0x7f.1",
    })
    void addressesHaveOneSpelling(String host, String canonical) {
        assertThat(HostText.canonical(host)).isEqualTo(canonical);
    }

    /** A canonical spelling is its own, and costs no further text. */
    @Test
    void isThereAlready() {
        for (String host : new String[] {"app.example", "10.0.0.1", "a_b-c", ""}) {
            assertThat(HostText.canonical(host)).isSameAs(host);
        }
    }
}
