package io.remora.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonWriterTest {
    @Test
    void escapesAtEachPlaceOfAText() {
        assertThat(JsonWriter.line("")).isEqualTo("\"\"");
        assertThat(JsonWriter.line("plain")).isEqualTo("\"plain\"");
        assertThat(JsonWriter.line("\"a\"\"b\"")).isEqualTo("\"\\\"a\\\"\\\"b\\\"\"");
        assertThat(JsonWriter.line("\\a\nb\r\tc")).isEqualTo("\"\\\\a\\nb\\r\\tc\"");
        assertThat(JsonWriter.line("a\u0001b\u007f")).isEqualTo("\"a\\u0001b\\u007f\"");
        assertThat(JsonWriter.line("\u0085\u2028é")).isEqualTo("\"\\u0085\\u2028é\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "\"", "\\", "a\\\"b\n", "\n\n", "é\u2029\ud83d\ude00", "\u0000end"})
    void isReadAsTheSameText(String text) throws IOException {
        assertThat(JsonTree.read(JsonWriter.line(text).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(text);
    }
}
