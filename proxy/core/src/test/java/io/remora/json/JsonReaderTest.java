package io.remora.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader of JSON, also with texts that mean harm. {@link JsonAgainstPythonIT} has somebody else's verdict. */
final class JsonReaderTest {
    private static JsonReader reader(String text) throws IOException {
        JsonReader reader = new JsonReader(new Drops(text.getBytes(StandardCharsets.UTF_8)), 1 << 20);
        assertThat(reader.document()).isTrue();
        return reader;
    }

    /** A stream that gives an octet at a time. */
    private static final class Drops extends InputStream {
        private final ByteArrayInputStream in;

        Drops(byte[] octets) {
            in = new ByteArrayInputStream(octets);
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            return in.read(to, offset, Math.min(1, length));
        }
    }

    private static void refused(String text, String problem) {
        assertThatThrownBy(() -> {
                    JsonReader reader = reader(text);
                    reader.skip();
                    if (reader.document()) {
                        throw new JsonException("JSON: more");
                    }
                })
                .as(text)
                .isInstanceOf(JsonException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void readsWhatIsAskedFor() throws IOException {
        JsonReader json =
                reader(" {\"a\" : [1, -20,null] , \"b\":{\"x\":[{}]},\"c\":\"\\u00e9\\n\",\"d\":true,\"e\":null}\n");
        List<String> seen = new ArrayList<>();
        assertThat(json.object()).isTrue();
        for (String name = json.name(); name != null; name = json.name()) {
            switch (name) {
                case "a" -> {
                    assertThat(json.array()).isTrue();
                    while (json.item()) {
                        seen.add("" + json.whole(7));
                    }
                }
                case "c", "e" -> seen.add("" + json.text());
                case "d" -> seen.add("" + json.flag(false));
                default -> json.skip();
            }
        }
        assertThat(seen).containsExactly("1", "-20", "7", "é\n", "true", "null");
        assertThat(json.document()).isFalse();
    }

    @Test
    void takesANullForWhateverIsNotThere() throws IOException {
        assertThat(reader("null").object()).isFalse();
        assertThat(reader("null").array()).isFalse();
        assertThat(reader("null").text()).isNull();
        assertThat(reader("null").whole(3)).isEqualTo(3);
        assertThat(reader("null").flag(true)).isTrue();
    }

    @Test
    void readsOneTextBehindTheOther() throws IOException {
        JsonReader json = reader("{\"a\":1}\n{\"a\":2}\n");
        json.skip();
        assertThat(json.document()).isTrue();
        json.object();
        assertThat(json.name()).isEqualTo("a");
        assertThat(json.whole(0)).isEqualTo(2);
        assertThat(json.name()).isNull();
        assertThat(json.document()).isFalse();
    }

    @Test
    void namesThatComeAgainAreTheSameObject() throws IOException {
        JsonReader json = reader("[{\"name\":1},{\"name\":2}]");
        json.array();
        json.item();
        json.object();
        String first = json.name();
        json.skip();
        assertThat(json.name()).isNull();
        json.item();
        json.object();
        assertThat(json.name()).isSameAs(first);
    }

    @Test
    void readsEachCharacter() throws IOException {
        String text = "aé€𝄞\u0001\"\\/\b\f\r\t";
        assertThat(reader("\"a\\u00e9\\u20AC\\uD834\\uDD1E\\u0001\\\"\\\\\\/\\b\\f\\r\\t\"")
                        .text())
                .isEqualTo(text);
        assertThat(reader("\"aé€𝄞\"").text()).isEqualTo("aé€𝄞");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[",
                "[1",
                "[1,",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":1",
                "{\"a\":1,",
                "\"",
                "\"a",
                "\"\\",
                "\"\\u12",
                "tru",
                "n",
                "-",
                "[1,]",
                "{\"a\":1,}",
                "{,}",
                "[,1]",
                "[1 2]",
                "{\"a\" 1}",
                "{a:1}",
                "{1:1}",
                "'a'",
                "[01]",
                "[1.]",
                "[.5]",
                "[+1]",
                "[1e]",
                "[1e+]",
                "[--1]",
                "[0x1]",
                "[NaN]",
                "[Infinity]",
                "nul",
                "truth",
                "[1}",
                "{]",
                "]",
                "}",
                ":",
                "//a\n1",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\\ud800\"",
                "\"\\ud800\\u0041\"",
                "\"\\udc00\"",
                "\"a\nb\"",
                "\"\u0000\"",
                "[1]]",
                "1 2",
                "\u00a01",
                "\ufeff1"
            })
    void refusesWhatIsNoJson(String text) {
        refused(text, "JSON: ");
    }

    @Test
    void refusesWhatIsTooDeep() throws IOException {
        reader("[".repeat(64) + "]".repeat(64)).skip();
        refused("[".repeat(65), "more than 64 levels");
        refused("{\"a\":".repeat(65), "more than 64 levels");
        refused("[".repeat(1_000_000), "more than 64 levels");
    }

    @Test
    void refusesWhatIsTooLong() {
        JsonReader json = new JsonReader(
                new ByteArrayInputStream(new byte[0]) {
                    @Override
                    public synchronized int read(byte[] to, int offset, int length) {
                        java.util.Arrays.fill(to, offset, offset + length, (byte) ' ');
                        return length;
                    }
                },
                1 << 20);
        assertThatThrownBy(json::document).hasMessageContaining("longer than 1048576 octets");
        String text = "a".repeat(70_000);
        assertThatThrownBy(() -> reader('"' + text + '"').text()).hasMessageContaining("more than 65536 octets");
    }

    @Test
    void readsNumbersInQuotesWhereTheyMayBe() throws IOException {
        JsonReader json = reader("[\"12\", 12, \"-3\", null]");
        json.array();
        List<Long> seen = new ArrayList<>();
        while (json.item()) {
            seen.add(json.quotedWhole(7));
        }
        assertThat(seen).containsExactly(12L, 12L, -3L, 7L);
        for (String text : List.of("\"\"", "\"1", "\"1.5\"", "\"1 \"", "\"x\"", "[]", "true")) {
            assertThatThrownBy(() -> reader(text).quotedWhole(0)).as(text).isInstanceOf(JsonException.class);
        }
    }

    /** Each text has the whole bound. */
    @Test
    void boundsEachTextByItself() throws IOException {
        String text = "\"" + " ".repeat(20_000) + "\"\n";
        JsonReader json =
                new JsonReader(new ByteArrayInputStream(text.repeat(10).getBytes(StandardCharsets.UTF_8)), 30_000);
        int count = 0;
        while (json.document()) {
            json.skip();
            count++;
        }
        assertThat(count).isEqualTo(10);
    }

    @Test
    void refusesWhatIsOfAnotherType() {
        assertThatThrownBy(() -> reader("[]").object()).hasMessageContaining("expected an object, at octet 0");
        assertThatThrownBy(() -> reader("{}").array()).hasMessageContaining("expected an array");
        assertThatThrownBy(() -> reader("1").text()).hasMessageContaining("expected a string");
        assertThatThrownBy(() -> reader("\"1\"").whole(0)).hasMessageContaining("expected a whole number");
        assertThatThrownBy(() -> reader("1.5").whole(0)).hasMessageContaining("expected a whole number");
        assertThatThrownBy(() -> reader("1e3").whole(0)).hasMessageContaining("expected a whole number");
        assertThatThrownBy(() -> reader("1234567890123456789").whole(0))
                .hasMessageContaining("expected a whole number");
        assertThatThrownBy(() -> reader("01").whole(0)).hasMessageContaining("expected a whole number");
        assertThatThrownBy(() -> reader("0").flag(true)).hasMessageContaining("expected true or false");
    }

    @Test
    void refusesWhatIsNotUtf8() {
        byte[] octets = {'"', (byte) 0xc3, '"'};
        JsonReader json = new JsonReader(new ByteArrayInputStream(octets), 100);
        assertThatThrownBy(() -> {
                    json.document();
                    json.text();
                })
                .hasMessageContaining("not UTF-8");
    }
}
