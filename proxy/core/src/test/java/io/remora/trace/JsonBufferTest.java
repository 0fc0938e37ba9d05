package io.remora.trace;

import static org.assertj.core.api.Assertions.assertThat;

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
}
