package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StreamTableTest {
    private static final String[] NONE = {};

    private final StreamTable<String> table = new StreamTable<>();

    @Test
    void findsWhatWasPutAndNothingElse() {
        table.put(1, "first");
        table.put(3, "second");
        assertThat(table.get(1)).isEqualTo("first");
        assertThat(table.get(3)).isEqualTo("second");
        assertThat(table.get(0)).isNull();
        assertThat(table.get(5)).isNull();
    }

    @Test
    void removesOnlyTheStreamOfThatNumber() {
        table.put(1, "first");
        table.remove(3);
        assertThat(table.isEmpty()).isFalse();
        table.remove(1);
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.get(1)).isNull();
    }

    /** A search ends at the first free place, so that no run of taken ones may be long for any numbers of a client. */
    @Test
    void numbersAtAnyDistanceStandApart() {
        for (int distance = 2; distance <= 1 << 24; distance *= 2) {
            StreamTable<String> apart = new StreamTable<>();
            for (int i = 0; i < 100; i++) {
                apart.put(1 + distance * i, "stream");
            }
            assertThat(longestRun(apart)).as("distance %d", distance).isLessThanOrEqualTo(16);
        }
    }

    private static int longestRun(StreamTable<String> of) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < 2 * of.places(); i++) {
            run = of.at(i % of.places()) == null ? 0 : run + 1;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    /** Numbers whose distance is twice a power of two have their low bits in common. */
    @Test
    void agreesWithAMapWhateverEndsAndHoweverNumbersMeet() {
        Random random = new Random(7);
        for (int distance : new int[] {2, 8, 32, 2_048}) {
            Map<Integer, String> expected = new HashMap<>();
            for (int i = 0; i < 3_000; i++) {
                int number = 1 + distance * random.nextInt(40);
                if (expected.remove(number) == null) {
                    expected.put(number, "stream " + number + " of " + i);
                    table.put(number, expected.get(number));
                } else {
                    table.remove(number);
                }
                assertThat(table.copy(NONE)).containsExactlyInAnyOrderElementsOf(expected.values());
                assertThat(table.isEmpty()).isEqualTo(expected.isEmpty());
            }
            for (int number = 1; number <= 1 + distance * 40; number++) {
                assertThat(table.get(number)).isEqualTo(expected.get(number));
                table.remove(number);
            }
        }
    }

    @Test
    void keepsNoPlacesForManyOnceTheyHaveEnded() {
        for (int number = 1; number < 1_000; number += 2) {
            table.put(number, "stream " + number);
        }
        assertThat(table.places()).isGreaterThanOrEqualTo(1_000);
        for (int number = 1; number < 1_000; number += 2) {
            table.remove(number);
        }
        assertThat(table.places()).isLessThan(10);
        table.put(1_001, "another");
        assertThat(table.get(1_001)).isEqualTo("another");
    }
}
