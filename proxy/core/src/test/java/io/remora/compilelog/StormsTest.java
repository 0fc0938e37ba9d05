package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class StormsTest {
    private final Timeline timeline = new Timeline();

    private void busy(long second, long c1Ms, long c2Ms, long waitMs) {
        Second at = timeline.at(second * 1_000);
        at.add(Count.C1_BUSY_MS, c1Ms);
        at.add(Count.C2_BUSY_MS, c2Ms);
        at.add(Count.LEVEL_1, 1);
        at.waited(waitMs);
    }

    private List<String> find() {
        timeline.settle(true);
        return Storms.find(timeline).stream()
                .map(storm -> storm.total.start + "-" + storm.end())
                .toList();
    }

    @Test
    void marksSecondsWithBusyThreadsOrLongWaits() {
        busy(0, 500, 0, 0);
        busy(10, 499, 499, 99);
        busy(20, 0, 500, 0);
        busy(30, 0, 0, 100);
        assertThat(find()).containsExactly("0-1", "20-21", "30-31");
    }

    @Test
    void joinsStormsWithOneQuietSecondBetweenThem() {
        busy(5, 900, 0, 0);
        busy(6, 10, 0, 0);
        busy(7, 900, 0, 0);
        busy(10, 900, 0, 0);
        assertThat(find()).containsExactly("5-8", "10-11");
    }

    @Test
    void namesTheBusiestSecondWithoutAStorm() {
        busy(3, 10, 0, 0);
        busy(4, 10, 0, 0);
        timeline.at(4_500).add(Count.LEVEL_4, 1);
        assertThat(find()).isEmpty();
        Second busiest = Storms.busiest(timeline);
        assertThat(busiest).isNotNull();
        assertThat(busiest.start).isEqualTo(4);
    }
}
