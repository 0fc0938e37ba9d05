package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which trace a request says that it is part of (W3C Trace Context 3.2). */
final class TraceParentTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String VALID = "00-" + TRACE + "-b7ad6b7169203331-01";

    private static String of(String... lines) {
        return TraceParent.traceId(Heads.fields(lines));
    }

    @Test
    void isTheIdOfAValidField() {
        assertThat(of("A: b", "TraceParent: " + VALID)).isEqualTo(TRACE);
        assertThat(of("traceparent: " + VALID.replace("-01", "-00"))).isEqualTo(TRACE);
    }

    @Test
    void aLaterVersionMayHaveMore() {
        assertThat(of("traceparent: cc" + VALID.substring(2))).isEqualTo(TRACE);
        assertThat(of("traceparent: cc" + VALID.substring(2) + "-what-comes")).isEqualTo(TRACE);
        assertThat(of("traceparent: cc" + VALID.substring(2) + ".what-comes")).isNull();
    }

    @Test
    void isNoneWhereTheFieldIsMissingOrRepeated() {
        assertThat(of("A: b")).isNull();
        assertThat(of("traceparent: " + VALID, "traceparent: " + VALID)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
                "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
                "00-0af7651916cd43dd8448eb211c80319cb-7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319\"-b7ad6b7169203331-01",
            })
    void isNoneWhereItIsNotValid(String value) {
        assertThat(of("traceparent: " + value)).isNull();
    }
}
