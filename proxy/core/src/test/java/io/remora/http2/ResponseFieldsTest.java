package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.BodyLength;
import io.remora.http.Fields;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.Lines;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections that the decoder lets pass or not, as they are judged behind it. */
final class ResponseFieldsTest {
    private final ResponseFields responses = new ResponseFields(200);

    private static FieldSection headers(String... lines) {
        return Lines.section(lines);
    }

    private static String text(Fields fields) {
        byte[] lines = new byte[fields.length()];
        fields.writeTo(lines, 0);
        return new String(lines, StandardCharsets.ISO_8859_1);
    }

    @Test
    void aHeadBecomesLines() {
        Fields fields =
                responses.head(headers(":status", "200", "a", "b \u00e9", "set-cookie", "1", "set-cookie", "2"));
        assertThat(responses.status()).isEqualTo(200);
        assertThat(text(fields)).isEqualTo("a: b \u00e9\r\nset-cookie: 1\r\nset-cookie: 2\r\n");
    }

    @Test
    void aLengthLosesItsZeros() {
        Fields fields = responses.head(headers(":status", "200", "content-length", "007"));
        assertThat(ResponseFields.announced(fields)).isEqualTo(7);
        assertThat(text(fields)).isEqualTo("Content-Length: 7\r\n");
    }

    @Test
    void anEmptyValueIsKept() {
        assertThat(text(responses.head(headers(":status", "200", "a", "")))).isEqualTo("a: \r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 200, 599, 600, 999})
    void takesAStatusOfThreeDigits(int status) {
        assertThat(responses.head(headers(":status", Integer.toString(status)))).isNotNull();
        assertThat(responses.status()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "20", "2000", "abc", "-20", "099", "101", "000", "1000", "2 0"})
    void refusesAnInvalidStatus(String status) {
        assertThat(responses.head(headers(":status", status))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X", "x y", "x:", ":path", "x\r\n", "x\0", "\u00e9", "connection", "te", "upgrade"})
    void refusesAnInvalidName(String name) {
        assertThat(responses.head(headers(":status", "200", name, "a"))).isNull();
        assertThat(responses.trailers(headers(name, "a"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nb", "a\nb", "a\rb", "a\0b", "a\u0001", "a\u007f", " a", "a ", "\ta", "a\t"})
    void refusesAnInvalidValue(String value) {
        assertThat(responses.head(headers(":status", "200", "a", value))).isNull();
        assertThat(responses.trailers(headers("a", value))).isNull();
    }

    @Test
    void moreThanTheLimit() {
        assertThat(responses.head(headers(":status", "200", "a", "x".repeat(189))))
                .isNotNull();
        assertThat(responses.head(headers(":status", "200", "a", "x".repeat(190))))
                .isNull();
    }

    @Test
    void howLongABodyIs() {
        Fields fields = responses.head(headers(":status", "200", "content-length", "5"));
        assertThat(ResponseFields.bodyLength(200, fields, false, false)).isEqualTo(5);
        assertThat(ResponseFields.bodyLength(200, fields, true, false)).isEqualTo(BodyLength.NONE);
        assertThat(ResponseFields.bodyLength(304, fields, false, false)).isEqualTo(BodyLength.NONE);
        assertThat(ResponseFields.bodyLength(200, fields, false, true)).isEqualTo(BodyLength.NONE);
        assertThat(ResponseFields.bodyLength(200, new Fields(), false, false)).isEqualTo(BodyLength.UNKNOWN);
    }
}
