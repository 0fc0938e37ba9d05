package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonBufferTest {
    /** What is planned for it has no room for more. */
    @ParameterizedTest
    @ValueSource(ints = {3_000, 5_000, 64 << 10, (64 << 10) + 1, 300_000, 512 << 10})
    void takesHalfOfItsBoundAtMostBesideItWhileItGrows(int maxBytes) {
        JsonBuffer buffer = new JsonBuffer(maxBytes);
        for (int before = 0; buffer.length() < maxBytes; before = buffer.capacity()) {
            buffer.raw("x");
            if (buffer.capacity() != before) {
                assertThat(before).isLessThanOrEqualTo(maxBytes / 2);
            }
        }
        assertThat(buffer.capacity()).isEqualTo(maxBytes);
        assertThat(buffer.isOverrun()).isFalse();
        assertThat(buffer.raw("x").isOverrun()).isTrue();
    }

    @Test
    void escapesWhatIsNotPlain() {
        JsonBuffer buffer = new JsonBuffer(100);
        buffer.text("").raw(",").text("plain").raw(",").text("a\"b\\c\u0001\u00e9\u20ac d");
        assertThat(new String(buffer.array(), 0, buffer.length(), StandardCharsets.US_ASCII))
                .isEqualTo("\"\",\"plain\",\"a\\\"b\\\\c\\u0001\\u00e9\\u20ac d\"");
        assertThat(buffer.isOverrun()).isFalse();
    }

    @Test
    void saysWhenATextIsTooLong() {
        JsonBuffer buffer = new JsonBuffer(10);
        assertThat(buffer.text("12345678").isOverrun()).isFalse();
        buffer.cut(0);
        assertThat(buffer.text("123456789").isOverrun()).isTrue();
        buffer.cut(0);
        assertThat(buffer.text("123\u00e9").isOverrun()).isTrue();
    }
}
