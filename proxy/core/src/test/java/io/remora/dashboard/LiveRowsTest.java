package io.remora.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A viewer that applies the events has the numbers that hold. */
final class LiveRowsTest {
    private static final int ROWS = 100;

    private final LiveRows rows = new LiveRows();
    private final Map<String, Map<String, Object>> seen = new TreeMap<>();

    @Test
    void onlyWhatHasChangedIsSent() throws IOException {
        read(3, 0);
        assertThat(changes())
                .isEqualTo("\"u\":{\"l1\":{\"n\":\"row 0\",\"x\":0},\"l2\":{\"n\":\"row 1\",\"x\":0},"
                        + "\"l3\":{\"n\":\"row 2\",\"x\":0}}");
        read(3, 0);
        assertThat(changes()).isEqualTo("\"u\":{}");
        rows.begin();
        rows.row('l', "row 1", "n", "x").put("x", 5);
        rows.end();
        String changes = changes();
        assertThat(changes).startsWith("\"d\":[\"l").endsWith("\"u\":{\"l2\":{\"x\":5}}");
        assertThat(seen).isEqualTo(Map.of("l2", Map.of("n", "row 1", "x", 5L)));
    }

    @Test
    void manyRowsHaveTheirTurnInEventsThatHaveABound() throws IOException {
        for (int reading = 1; reading <= 50; reading++) {
            read(ROWS, reading);
            assertThat(changes().length()).isLessThan(LivePage.PERIOD * 900);
        }
        // the numbers rest, and every viewer gets all of them
        for (int i = 0; i < 20; i++) {
            changes();
        }
        assertThat(seen).hasSize(ROWS).allSatisfy((id, row) -> assertThat(row).containsEntry("x", 50L));
    }

    @Test
    void aViewerThatComesHasWhatTheOthersHave() throws IOException {
        read(ROWS, 1);
        changes();
        StringBuilder whole = new StringBuilder();
        rows.appendSent(whole);
        Map<String, Map<String, Object>> others = new TreeMap<>(seen);
        seen.clear();
        apply(whole.toString());
        seen.values().removeIf(Map::isEmpty);
        assertThat(seen).isEqualTo(others).hasSizeLessThan(ROWS);
    }

    @Test
    void aNumberThatIsUnknownAgainIsTakenBack() throws IOException {
        LiveRow row = rows.row('p', "", "x");
        row.putKnown("x", 1);
        changes();
        row.putKnown("x", -1);
        assertThat(changes()).isEqualTo("\"u\":{\"p1\":{\"x\":null}}");
    }

    @Test
    void textsOfOthersAreQuoted() throws IOException {
        rows.row('s', "", "why").putText("why", "\"</script>\n\u2028");
        assertThat(changes()).doesNotContain("\n", "\u2028");
        assertThat(seen.get("s1")).containsEntry("why", "\"</script>\n\u2028");
    }

    private void read(int count, long number) {
        rows.begin();
        for (int i = 0; i < count; i++) {
            LiveRow row = rows.row('l', "row " + i, "n", "x");
            row.putText("n", "row " + i);
            row.put("x", number);
        }
        rows.end();
    }

    private String changes() throws IOException {
        StringBuilder out = new StringBuilder();
        rows.appendChanges(out);
        apply(out.toString());
        return out.toString();
    }

    @SuppressWarnings("unchecked")
    private void apply(String members) throws IOException {
        Map<String, Object> event =
                (Map<String, Object>) JsonTree.read(("{" + members + "}").getBytes(StandardCharsets.UTF_8));
        ((List<String>) event.getOrDefault("d", List.of())).forEach(seen::remove);
        ((Map<String, Map<String, Object>>) event.get("u"))
                .forEach((id, row) -> seen.computeIfAbsent(id, absent -> new LinkedHashMap<>())
                        .putAll(row));
    }
}
