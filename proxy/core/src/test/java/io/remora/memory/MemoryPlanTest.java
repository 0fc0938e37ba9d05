package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Limits;
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
        long inPool = plan.connections() * (long) MemoryCosts.SOCKET_BYTES / 2
                + plan.exchanges() * MemoryPlan.reserved(LoopBudget.LEAST, plan.receiveBytes()) / 2;
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

    private static final MemoryCosts TLS = new MemoryCosts(
            4 << 20,
            1 << 20,
            new MemoryCosts.Cost(12 << 10, 4 << 10),
            new MemoryCosts.Cost(12 << 10, 4 << 10),
            new MemoryCosts.Cost(40 << 10, 16 << 10),
            null);

    /** Of the limit and of the heap, with everything taken that can be, as {@link #fitsTheLimit} has it for plain ones. */
    @ParameterizedTest
    @ValueSource(longs = {48 << 20, 64 << 20, 128 << 20, 256 << 20})
    void protectedConnectionsFitTheLimit(long bytes) {
        MemoryPlan plain = MemoryPlan.of(limit(bytes), 1);
        MemoryPlan plan = MemoryPlan.of(limit(bytes), 1, TLS);
        MemoryLimit limit = plan.limit();
        assertThat(plan.problem()).isNull();
        assertThat(PEAK + TLS.baseBytes() + limit.heapMaxBytes() - limit.heapStartBytes() + plan.poolBytes())
                .isLessThanOrEqualTo(bytes / 100 * 94);
        assertThat(plan.handshakes()).isBetween(4, 1_000);
        long handshakes = plan.handshakes() * (long) TLS.bytesOfHandshake();
        assertThat(handshakes).isEqualTo(plan.handshakePoolBytes()).isLessThanOrEqualTo(plan.poolBytes() / 8);
        long exchange = MemoryPlan.reserved(LoopBudget.LEAST, plan.receiveBytes()) + (12 << 10);
        long inPool = plan.connections() * (long) (MemoryCosts.SOCKET_BYTES + (12 << 10)) / 2
                + plan.exchanges() * exchange / 2;
        assertThat(handshakes + inPool).isLessThanOrEqualTo(plan.poolBytes());
        long inHeap = plan.connections() * (long) (MemoryPlan.CONNECTION_HEAP_BYTES + (4 << 10))
                + plan.handshakes() * (16L << 10);
        assertThat(inHeap + MemoryPlan.BASE_HEAP_BYTES + TLS.baseHeapBytes()).isLessThan(limit.heapMaxBytes());
        assertThat(plan.connections()).isLessThan(plain.connections());
        assertThat(plan.exchanges()).isLessThan(plain.exchanges());
        assertThat(plan.text()).contains(plan.handshakes() + " handshakes");
        assertThat(plain.text()).doesNotContain("handshakes");
    }

    private static final MemoryCosts SPEAKING =
            MemoryCosts.NONE.speaking(new MemoryCosts.Cost(0, 8 << 10), new MemoryCosts.Cost(16 << 10, 4 << 10));

    /** As {@link #fitsTheLimit} has it for HTTP/1.1. */
    @ParameterizedTest
    @ValueSource(longs = {48 << 20, 64 << 20, 128 << 20, 256 << 20})
    void connectionsThatCarryMoreFitTheLimit(long bytes) {
        MemoryPlan plain = MemoryPlan.of(limit(bytes), 1);
        MemoryPlan plan = MemoryPlan.of(limit(bytes), 1, SPEAKING);
        assertThat(plan.problem()).isNull();
        assertThat(plan.connectionHeapBytes()).isEqualTo(12 << 10);
        assertThat(plan.exchangeHeapBytes()).isEqualTo(12 << 10);
        long inHeap = plan.connections() * (long) plan.connectionHeapBytes()
                + plan.exchanges() * (long) plan.exchangeHeapBytes();
        assertThat(inHeap + MemoryPlan.BASE_HEAP_BYTES).isLessThan(plan.limit().heapMaxBytes());
        long exchange = MemoryPlan.reserved(LoopBudget.LEAST, plan.receiveBytes()) + (16 << 10);
        assertThat(plan.exchanges() * exchange).isLessThanOrEqualTo(plan.poolBytes() * 3 / 4);
        assertThat(plan.connections()).isLessThan(plain.connections());
        assertThat(plan.exchanges()).isLessThan(plain.exchanges());
    }

    @Test
    void aSmallHeapWithoutALimitServesSomebody() {
        MemoryCosts.Cost connection = new MemoryCosts.Cost(1 << 10, 8 << 10);
        MemoryCosts costs = new MemoryCosts(
                8 << 20, 3 << 20, connection, connection, new MemoryCosts.Cost(8 << 10, 16 << 10), null);
        MemoryPlan plan = MemoryPlan.of(new MemoryLimit(0, "", PEAK, 8 * MIB, 8 * MIB, 64 * MIB, 0), 1, costs);
        assertThat(plan.connections()).isBetween(16, 64);
        assertThat(plan.exchanges()).isBetween(4, 16);
        assertThat(plan.handshakes()).isBetween(4, 16);
    }

    @Test
    void saysThatTlsDoesNotFit() {
        assertThat(MemoryPlan.of(limit(40 * MIB), 1).problem()).isNull();
        assertThat(MemoryPlan.of(limit(40 * MIB), 1, TLS).problem())
                .contains("35100000 for the JVM, 4194304 for TLS", "too little");
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
