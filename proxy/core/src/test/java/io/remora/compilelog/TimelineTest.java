package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Bounds of the aggregates: a long log changes their resolution, never their sums. */
final class TimelineTest {
    @Test
    void mergesNeighborsWhenThereAreMoreSecondsThanItKeeps() {
        Timeline timeline = new Timeline();
        for (int i = 0; i < 3 * Timeline.MAX_SECONDS; i++) {
            timeline.at(i * 1_000L).add(Count.QUEUED, 1);
        }
        List<Second> seconds = timeline.sorted();
        assertThat(timeline.width()).isEqualTo(4);
        assertThat(seconds).hasSize(3 * Timeline.MAX_SECONDS / 4).allMatch(second -> second.get(Count.QUEUED) == 4);
        assertThat(seconds.get(1).start).isEqualTo(4);
    }

    @Test
    void spreadsADurationOverItsSeconds() {
        Timeline timeline = new Timeline();
        timeline.spread(Count.C2_BUSY_MS, 1_900, 4_100);
        assertThat(timeline.sorted())
                .extracting(second -> second.get(Count.C2_BUSY_MS))
                .containsExactly(100L, 1_000L, 1_000L, 100L);
    }

    @Test
    void endsForATaskThatClaimsToLastForever() {
        Timeline timeline = new Timeline();
        timeline.spread(Count.C2_BUSY_MS, 0, Long.MAX_VALUE / 4);
        long sum = 0;
        for (Second second : timeline.sorted()) {
            sum += second.get(Count.C2_BUSY_MS);
        }
        assertThat(sum).isEqualTo(Long.MAX_VALUE / 4);
    }

    @Test
    void keepsTheThreeLargestOfASecond() {
        Second second = new Second(0);
        for (int bytes : new int[] {5, 1, 9, 7, 3}) {
            second.made(new MadeCode("m" + bytes, 4, false, bytes));
        }
        assertThat(second.largest()).extracting(MadeCode::bytes).containsExactly(9L, 7L, 5L);
    }

    @Test
    void dropsTheRowsThatMatterLess() {
        RowTable<MethodRow> table = new RowTable<>(100, MethodRow::new);
        for (int i = 0; i < 150; i++) {
            table.row("m" + i).compiled = i % 100;
        }
        assertThat(table.dropped()).isEqualTo(50);
        assertThat(table.top(1, row -> row.compiled).get(0).name).isEqualTo("m99");
        MethodRow kept = table.row("m60");
        assertThat(kept.compiled).isEqualTo(60);
        assertThat(kept.isDropped()).isFalse();
        assertThat(table.row("m3").compiled).isZero();
    }

    @Test
    void releasesDroppedRowsByTheirIds() {
        CompileIds ids = new CompileIds();
        MethodRow row = new MethodRow("a");
        ids.put(1, 5, row);
        assertThat(ids.method(1)).isSameAs(row);
        row.drop();
        ids.removeDropped();
        assertThat(ids.method(1)).isNull();
        assertThat(ids.queuedMs(1)).isEqualTo(5);
    }

    @Test
    void findsTheLatestIds() {
        CompileIds ids = new CompileIds();
        int last = CompileIds.MAX_IDS + 10;
        MethodRow row = new MethodRow("a");
        for (int id = 1; id <= last; id++) {
            ids.put(id, id, row);
        }
        assertThat(ids.queuedMs(1)).isEqualTo(-1);
        for (int id = 11; id <= last; id++) {
            assertThat(ids.queuedMs(id)).isEqualTo(id);
        }
        assertThat(ids.queuedMs(0)).isEqualTo(-1);
    }

    @Test
    void countsFurtherReasonsTogether() {
        ReasonCounts reasons = new ReasonCounts();
        for (int i = 0; i < 300; i++) {
            reasons.add("reason " + i);
        }
        reasons.add("reason 0");
        assertThat(reasons.get("reason 0")).isEqualTo(2);
        assertThat(reasons.get(ReasonCounts.OTHERS)).isEqualTo(44);
        assertThat(reasons.sorted().get(0)).isEqualTo(ReasonCounts.OTHERS);
    }
}
