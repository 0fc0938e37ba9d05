package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.HeaderPolicy.RequestIdMode;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RequestIdsTest {
    private static final long NOW_MS = 0x0123_4567_89ABL;

    private final RequestIds ids = new RequestIds(() -> NOW_MS, 1);

    @Test
    void beginWithTheTimeWhereTheyAreUlids() {
        // 48 bits, five to a character, from the alphabet without I, L, O and U
        assertThat(ids.ulid()).matches("014D2PF2DB[0-9A-HJKMNP-TV-Z]{16}");
    }

    @Test
    void tellTheirVersionWhereTheyAreUuids() {
        for (int i = 0; i < 100; i++) {
            assertThat(ids.uuid()).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        }
    }

    @Test
    void areNeverTheSame() {
        Set<String> seen = new HashSet<>();
        RequestIds others = new RequestIds(() -> NOW_MS, 2);
        for (int i = 0; i < 1_000; i++) {
            assertThat(seen.add(ids.ulid())).isTrue();
            assertThat(seen.add(others.ulid())).isTrue();
            assertThat(seen.add(ids.uuid())).isTrue();
        }
    }

    @Test
    void areAddedToARequestWithout() {
        for (RequestIdMode mode : new RequestIdMode[] {RequestIdMode.ULID, RequestIdMode.UUID}) {
            RequestHead head = Heads.request("GET", "/", "X: y");
            String id = ids.apply(head, mode);
            assertThat(Heads.lines(head.fields)).containsExactly("X: y", "X-Request-Id: " + id);
        }
    }

    @Test
    void areNotAddedWhereTheyAreOff() {
        RequestHead head = Heads.request("GET", "/", "X: y");
        assertThat(ids.apply(head, RequestIdMode.OFF)).isNull();
        assertThat(Heads.lines(head.fields)).containsExactly("X: y");
    }

    @Test
    void areTheClientsWhereItSentOne() {
        for (RequestIdMode mode : RequestIdMode.values()) {
            RequestHead head = Heads.request("GET", "/", "x-request-id: mine");
            assertThat(ids.apply(head, mode)).isEqualTo("mine");
            assertThat(Heads.lines(head.fields)).containsExactly("x-request-id: mine");
        }
    }

    /** The backend may take another one of several than the log. */
    @Test
    void areTheFirstWhereTheClientSentSeveral() {
        for (RequestIdMode mode : RequestIdMode.values()) {
            RequestHead head = Heads.request("GET", "/", "x-request-id: one", "X: y", "x-request-id: two");
            assertThat(ids.apply(head, mode)).isEqualTo("one");
            int lines = mode == RequestIdMode.OFF ? 3 : 2;
            assertThat(Heads.lines(head.fields)).hasSize(lines).contains("X: y").doesNotHaveDuplicates();
        }
    }

    @Test
    void areOfTheKindThatNamesAProcess() {
        assertThat(RequestIds.pseudonym(0)).isEqualTo("remora-000000");
        assertThat(RequestIds.pseudonym(-1)).isEqualTo("remora-ZZZZZZ");
    }
}
