package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** When sources ask, and what they say. */
final class SourceTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @Test
    void asksSomeTimesAtOnceAndThenTwiceASecond() {
        QueryPace pace = new QueryPace(0);
        for (int i = 0; i < 5; i++) {
            assertThat(pace.take(0)).isZero();
        }
        assertThat(pace.take(0)).isEqualTo(SECOND_NS / 2);
        assertThat(pace.take(SECOND_NS / 2)).isEqualTo(SECOND_NS / 2);
        // after a rest it may again
        for (int i = 0; i < 5; i++) {
            assertThat(pace.take(100 * SECOND_NS)).isZero();
        }
        assertThat(pace.take(100 * SECOND_NS)).isPositive();
    }

    @Test
    void waitsLongerAfterEachFailure() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(Source.retryNs(1, random)).isBetween(SECOND_NS / 2, SECOND_NS);
            assertThat(Source.retryNs(3, random)).isBetween(2 * SECOND_NS, 4 * SECOND_NS);
            assertThat(Source.retryNs(1_000, random)).isBetween(15 * SECOND_NS, 30 * SECOND_NS);
        }
    }

    @Test
    void escapesWhatIsNoLetter() {
        assertThat(SourceRequest.escaped("a-b_c.d~9")).isEqualTo("a-b_c.d~9");
        assertThat(SourceRequest.escaped("a b/é?&=%\r\n")).isEqualTo("a%20b%2F%C3%A9%3F%26%3D%25%0D%0A");
    }

    @Test
    void waitsForAnAnswerNoLongerThanItIsTold() {
        CallBody body = new CallBody(null);
        assertThatThrownBy(() -> body.awaitHead(20_000_000)).hasMessage("the server does not answer");
        body.head(200, null, false);
        body.deadline(20_000_000);
        assertThatThrownBy(() -> body.read(new byte[1], 0, 1)).hasMessage("the rest of the answer does not come");
        body.fail(new SourceException("gone", false));
        assertThatThrownBy(() -> body.read(new byte[1], 0, 1)).hasMessage("gone");
        // what came before can be read; there is room for 64 KiB
        assertThat(body.add(new byte[40_000])).isTrue();
        assertThat(body.add(new byte[40_000])).isFalse();
    }

    @Test
    void keepsTheTokenOutOfItsText() {
        SourceRequest request = new SourceRequest("/a", "h:1", "Authorization", "Bearer secret");
        assertThat(request.toString()).isEqualTo("GET /a");
        assertThat(request.head().fields.get("Authorization")).isEqualTo("Bearer secret");
    }
}
