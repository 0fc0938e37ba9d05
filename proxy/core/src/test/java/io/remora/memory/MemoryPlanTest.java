package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What follows from a limit, and from none. */
final class MemoryPlanTest {
    private static final long MIB = 1 << 20;
    private static final long PEAK = 35_100_000;

    /** As the launchers fit the heap and the buffers' bound to a limit. */
    private static MemoryLimit limit(long bytes) {
        long room = Math.max(0, bytes / 100 * 94 - PEAK);
        long heap = Math.min(64 * MIB, 8 * MIB + room / 8 * 3);
        long direct = Math.min(64 * MIB, Math.max(4 * MIB, room / 8 * 5));
        return new MemoryLimit(bytes, "/sys/fs/cgroup/memory.max", PEAK, 8 * MIB, heap, direct, 0);
    }

    @Test
    void holdsTheDefaultsWithoutALimit() {
        MemoryPlan plan = MemoryPlan.of(Plans.NO_LIMIT, 1);
        assertThat(plan.connections()).isGreaterThanOrEqualTo(Limits.CONNECTIONS_BY_DEFAULT);
        assertThat(plan.exchanges()).isGreaterThanOrEqualTo(Limits.IN_FLIGHT_BY_DEFAULT);
        assertThat(plan.problem()).isNull();
    }

    @Test
    void unfinishedHeadsHaveAnEighthOfTheHeapThatIsLeft() {
        MemoryLimit small = new MemoryLimit(0, "", PEAK, 8 * MIB, 22 * MIB, 64 * MIB, 0);
        assertThat(MemoryPlan.of(small, 1).heldBytes()).isEqualTo(2 * MIB);
    }

    @Test
    void takesHalfOfASmallMachineAtTheMost() {
        MemoryLimit small = new MemoryLimit(0, "", PEAK, 8 * MIB, 64 * MIB, 64 * MIB, 100 * MIB);
        assertThat(MemoryPlan.of(small, 1).poolBytes()).isEqualTo(50 * MIB);
    }

    /** Peak, heap and pool together, with everything taken that can be. */
    @ParameterizedTest
    @ValueSource(longs = {38_610_000, 48 << 20, 64 << 20, 128 << 20, 256 << 20})
    void fitsTheLimit(long bytes) {
        MemoryPlan plan = MemoryPlan.of(limit(bytes), 1);
        MemoryLimit limit = plan.limit();
        assertThat(plan.problem()).isNull();
        assertThat(PEAK + limit.heapMaxBytes() - limit.heapStartBytes() + plan.poolBytes())
                .isLessThanOrEqualTo(bytes / 100 * 94);
        long inPool = plan.connections() * (long) LoopBudget.SOCKET_BYTES / 2
                + plan.exchanges() * LoopBudget.reserved(LoopBudget.LEAST, plan.receiveBytes()) / 2;
        assertThat(inPool).isLessThanOrEqualTo(plan.poolBytes());
    }

    @Test
    void allowsForFewerConnectionsUnderALimit() {
        MemoryPlan plan = MemoryPlan.of(limit(64 * MIB), 1);
        assertThat(plan.connections()).isBetween(1_000, Limits.CONNECTIONS_BY_DEFAULT);
        assertThat(plan.exchanges()).isBetween(100, Limits.IN_FLIGHT_BY_DEFAULT);
        assertThat(plan.text()).contains("limit 67108864 bytes", plan.connections() + " connections");
        MemoryPlan larger = MemoryPlan.of(limit(128 * MIB), 1);
        assertThat(larger.connections()).isGreaterThan(plan.connections());
        assertThat(larger.exchanges()).isGreaterThan(plan.exchanges());
    }

    @Test
    void furtherLoopsCost() {
        MemoryPlan one = MemoryPlan.of(limit(64 * MIB), 1);
        assertThat(MemoryPlan.of(limit(64 * MIB), 5).poolBytes()).isEqualTo(one.poolBytes() - 4 * MIB / 2);
        assertThat(MemoryPlan.of(limit(40 * MIB), 64).problem())
                .contains("/sys/fs/cgroup/memory.max allows 41943040 bytes", "too little");
    }

    /** The heap that somebody asked for counts in full. */
    @Test
    void saysThatAHeapDoesNotFit() {
        MemoryLimit limit = new MemoryLimit(64 * MIB, "/x", PEAK, 8 * MIB, 64 * MIB, 16 * MIB, 0);
        assertThat(MemoryPlan.of(limit, 1).problem()).contains("a heap of up to 67108864");
    }
}
