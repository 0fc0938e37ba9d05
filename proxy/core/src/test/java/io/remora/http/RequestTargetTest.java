package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestTargetTest {
    /** Neither decoded nor normalised. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/a/../b", "//a", "/%2e%2E/", "/a?b?c", "/a;b=c", "/\"<>\\^`{|}", "/a//?x=http://b"})
    void takesOriginFormAsItIs(String target) {
        assertThat(RequestTarget.parse(target, "GET")).isEqualTo(new RequestTarget(target, null));
    }

    @ParameterizedTest
    @CsvSource({
        "http://a, GET, /, a",
        "HTTP://A/b, GET, /b, A",
        "https://a:8443/b?c, GET, /b?c, a:8443",
        "http://a?c, GET, /?c, a",
        "http://[::1]/, GET, /, [::1]",
        "http://a, OPTIONS, *, a",
        "http://a/, OPTIONS, /, a",
        "http://a?c, OPTIONS, /?c, a",
    })
    void takesAbsoluteFormApart(String target, String method, String path, String authority) {
        assertThat(RequestTarget.parse(target, method)).isEqualTo(new RequestTarget(path, authority));
    }

    @ParameterizedTest
    @CsvSource({"*, OPTIONS, true", "*, GET, false", "*, options, false", "**, OPTIONS, false", "*?a, OPTIONS, false"})
    void takesAsteriskFormOfOptionsOnly(String target, String method, boolean expected) {
        assertThat(RequestTarget.parse(target, method) != null).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "a/b",
                "a:80",
                "?a",
                "ftp://a/",
                "http:/a",
                "http:///a",
                "http://",
                "http://?a",
                "http://u@a/",
                "http://a:x/",
                "httpx://a/",
                "/a#b",
                "http://a/#b",
                "/a b",
                "/\t",
                "/\u0000",
                "/\u007f",
                "/\u00e4",
                "/a\r",
                "/a\n",
            })
    void refusesEverythingElse(String target) {
        assertThat(RequestTarget.parse(target, "GET")).isNull();
    }
}
