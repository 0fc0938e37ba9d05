package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ResponseRulesTest {
    private static final String[] SWITCH = {"Connection: upgrade", "Upgrade: websocket"};

    @ParameterizedTest
    @CsvSource({"99, false", "100, true", "200, true", "599, true", "600, false", "999, false"})
    void wantsAStatusOfAKnownClass(int status, boolean taken) {
        assertThat(ResponseRules.judge(status, Heads.fields(), false)).isEqualTo(taken ? null : Failure.BAD_RESPONSE);
    }

    @Test
    void wantsToBeAskedForASwitch() {
        assertThat(ResponseRules.judge(101, Heads.fields(SWITCH), true)).isNull();
        assertThat(ResponseRules.judge(101, Heads.fields(SWITCH), false)).isEqualTo(Failure.BAD_RESPONSE);
        assertThat(ResponseRules.judge(101, Heads.fields(), true)).isEqualTo(Failure.BAD_RESPONSE);
        assertThat(ResponseRules.judge(101, Heads.fields("Connection: upgrade", "Upgrade: h2c"), true))
                .isEqualTo(Failure.BAD_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "gzip, chunked", "chunked, chunked", "", "chunked;a"})
    void knowsOneTransferCoding(String coding) {
        assertThat(ResponseRules.judge(200, Heads.fields("Transfer-Encoding: Chunked"), false))
                .isNull();
        assertThat(ResponseRules.judge(200, Heads.fields("Transfer-Encoding: " + coding), false))
                .isEqualTo(Failure.BAD_RESPONSE);
        assertThat(ResponseRules.judge(
                        200, Heads.fields("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), false))
                .isEqualTo(Failure.BAD_RESPONSE);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "10, 10", "007, 7", "000, 0"})
    void writesALengthPlainly(String length, String expected) {
        var fields = Heads.fields("Content-Length: " + length);
        ResponseRules.normalizeLength(fields);
        assertThat(Heads.lines(fields)).containsExactly("Content-Length: " + expected);
    }

    @ParameterizedTest
    @CsvSource({
        "200, Content-Length: 5, false, 5",
        "200, Content-Length: 5, true, 0",
        "204, Content-Length: 5, false, 0",
        "304, Content-Length: 5, false, 0",
        "103, X: y, false, 0",
        "200, X: y, false, -1",
        "200, X: y, true, 0",
        "200, Transfer-Encoding: chunked, false, -1",
        "304, Transfer-Encoding: chunked, false, 0",
    })
    void tellsTheBodysLength(int status, String line, boolean toHead, long expected) {
        assertThat(ResponseRules.bodyLength(status, Heads.fields(line), toHead)).isEqualTo(expected);
    }
}
