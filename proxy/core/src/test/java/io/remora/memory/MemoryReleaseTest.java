package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MemoryReleaseTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final List<Integer> releasing = new ArrayList<>();
    private final List<Integer> trimming = new ArrayList<>();

    private void look(int looks, long everyNs) {
        MemoryRelease start = new MemoryRelease(0);
        // the clock's origin is any
        long nowNs = -7 * SECOND_NS;
        for (int i = 1; i <= looks; i++) {
            start.look(nowNs);
            nowNs += everyNs;
            if (start.releasesFiles()) {
                releasing.add(i);
            }
            if (start.trimsHeap()) {
                trimming.add(i);
            }
        }
    }

    @Test
    void releasesFilePagesAtTheFirstLooksOnly() {
        look(1_000, SECOND_NS);
        assertThat(releasing).containsExactly(1, 2, 3, 4);
    }

    /** Compilation continues after the first looks. */
    @Test
    void trimsTheHeapForAMinute() {
        look(1_000, SECOND_NS);
        assertThat(trimming).containsExactly(1, 2, 3, 4, 9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59);
    }

    /** Under pressure the watch looks ten times a second. */
    @Test
    void trimsNoMoreOftenWhenLooksAreFrequent() {
        look(1_000, SECOND_NS / 10);
        assertThat(trimming).containsExactly(1, 2, 3, 4, 54, 104, 154, 204, 254, 304, 354, 404, 454, 504, 554);
    }
}
