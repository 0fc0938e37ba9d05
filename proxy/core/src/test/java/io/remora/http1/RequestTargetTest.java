package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The target of a request line, taken apart by the parser. */
final class RequestTargetTest {
    private static final String HOST = "Host: host.example";

    private static RequestParser parsed(String method, String target) {
        return Parsing.head(Parsing.requestParser(), method + " " + target + " HTTP/1.1", HOST);
    }

    private static @Nullable Failure failure(String method, String target) {
        return Parsing.failure(Parsing.requestParser(), method + " " + target + " HTTP/1.1", HOST);
    }

    /** Neither decoded nor normalised. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/a/../b", "//a", "/%2e%2E/", "/a?b?c", "/a;b=c", "/\"<>\\^`{|}", "/a//?x=http://b"})
    void takesOriginFormAsItIs(String target) {
        assertThat(failure("GET", target)).isNull();
        assertThat(parsed("GET", target).target()).hasToString(target);
        assertThat(parsed("GET", target).authority()).hasToString("host.example");
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
        assertThat(failure(method, target)).isNull();
        RequestParser parsed = parsed(method, target);
        assertThat(parsed.target()).hasToString(path);
        assertThat(parsed.authority()).hasToString(authority);
        assertThat(Parsing.lines(parsed.fields())).containsExactly("Host: " + authority);
    }

    @ParameterizedTest
    @CsvSource({"*, OPTIONS, true", "*, GET, false", "*, options, false", "**, OPTIONS, false", "*?a, OPTIONS, false"})
    void takesAsteriskFormOfOptionsOnly(String target, String method, boolean expected) {
        assertThat(failure(method, target)).isEqualTo(expected ? null : Failure.BAD_REQUEST);
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
        assertThat(failure("GET", target)).isEqualTo(Failure.BAD_REQUEST);
    }
}
