package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RequestTargetTest {
    @ParameterizedTest
    @CsvSource({
        "/live, /live",
        "/live?a=b, /live",
        "*, *",
        "//live, //live",
        "/a?http://h/live, /a",
        "/?x, /",
    })
    void path(String target, String path) {
        assertThat(RequestTarget.path(target)).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource({
        "/x?level=debug, debug",
        "/x?a=b&level=debug&c, debug",
        "/x?alevel=debug, ''",
        "/x?level, ''",
        "/x?level=, ''",
        "/xlevel=debug, ''",
        "/x, ''",
    })
    void parameter(String target, String value) {
        assertThat(RequestTarget.parameter(target, "level")).isEqualTo(value);
    }
}
