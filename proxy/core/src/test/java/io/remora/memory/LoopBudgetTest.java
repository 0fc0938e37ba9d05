package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one event loop hands out: that it never comes to more than there is, and comes back whole. */
final class LoopBudgetTest {
    private static final int POOL = 16 << 20;
    private static final int MANY = 1 << 20;

    private final LoopStats stats = new LoopStats("0");

    private LoopBudget budget(MemoryPlan plan) {
        return new MemoryWatch(plan, 1).budget(0, stats);
    }

    private long reserved() {
        return stats.value(LoopMetric.MEMORY_RESERVED);
    }

    @Test
    void grantsLessAndLessAndNeverMoreThanThereIs() {
        LoopBudget budget = budget(Plans.pool(POOL, MANY, MANY));
        List<Integer> grants = new ArrayList<>();
        long sum = 0;
        for (int grant = budget.grant(0); grant > 0; grant = budget.grant(0)) {
            grants.add(grant);
            sum += budget.reserved(grant);
            assertThat(sum).isLessThanOrEqualTo(POOL);
            assertThat(reserved()).isEqualTo(sum);
        }
        assertThat(grants).hasSizeGreaterThan(100).isSortedAccordingTo((a, b) -> b - a);
        assertThat(grants.get(0)).isGreaterThan(LoopBudget.LEAST);
        assertThat(grants.get(grants.size() - 1)).isEqualTo(LoopBudget.LEAST);
        assertThat(POOL - sum).isLessThan(budget.reserved(LoopBudget.LEAST));
        assertThat(stats.value(LoopMetric.MEMORY_REFUSED)).isOne();
        for (int grant : grants) {
            budget.giveBack(grant, 0);
        }
        assertThat(reserved()).isZero();
        assertThat(budget.grant(0)).isEqualTo(grants.get(0));
    }

    @Test
    void admitsNoMoreExchangesThanThePlan() {
        LoopBudget budget = budget(Plans.pool(POOL, MANY, 3));
        int grant = budget.grant(0);
        assertThat(budget.grant(0)).isPositive();
        assertThat(budget.grant(0)).isPositive();
        assertThat(budget.grant(0)).isZero();
        budget.giveBack(grant, 0);
        assertThat(budget.grant(0)).isPositive();
    }

    @Test
    void admitsNoHeadThatTheHeapHasNoRoomFor() {
        LoopBudget budget = budget(new MemoryPlan(Plans.NO_LIMIT, 0, POOL, 0, 10_000, MANY, MANY));
        int grant = budget.grant(6_000);
        assertThat(grant).isPositive();
        assertThat(budget.grant(4_001)).isZero();
        assertThat(budget.hold(4_000)).isTrue();
        assertThat(budget.hold(1)).isFalse();
        assertThat(budget.grant(0)).isZero();
        budget.hold(-4_001);
        budget.giveBack(grant, 6_000);
        assertThat(stats.value(LoopMetric.MEMORY_HELD)).isZero();
        assertThat(budget.grant(10_000)).isPositive();
    }

    @Test
    void connectionsTakeOfThePoolAndAreBounded() {
        LoopBudget budget = budget(Plans.pool(POOL, 2, MANY));
        assertThat(budget.open()).isTrue();
        assertThat(budget.open()).isTrue();
        assertThat(reserved()).isEqualTo(2 * LoopBudget.SOCKET_BYTES);
        assertThat(budget.open()).isFalse();
        budget.closed();
        budget.closed();
        assertThat(budget.open()).isTrue();
        budget.closed();
        budget.closed();
        assertThat(reserved()).isZero();
    }

    @Test
    void shrinksAndGrowsBack() {
        LoopBudget budget = budget(Plans.pool(POOL, MANY, MANY));
        int grant = budget.grant(0);
        budget.shrink(grant);
        assertThat(reserved()).isEqualTo(budget.reserved(LoopBudget.LEAST));
        assertThat(budget.regrant(LoopBudget.LEAST)).isEqualTo(grant);
        assertThat(reserved()).isEqualTo(budget.reserved(grant));
        budget.giveBack(grant, 0);
        assertThat(reserved()).isZero();
    }

    /** Two loops share one plan, and neither takes of the other's. */
    @Test
    void sharesThePlanWithTheOtherLoops() {
        MemoryWatch watch = new MemoryWatch(Plans.pool(POOL, 10, 10), 2);
        LoopBudget one = watch.budget(0, stats);
        LoopBudget other = watch.budget(1, new LoopStats("1"));
        int granted = 0;
        while (one.grant(0) > 0) {
            granted++;
        }
        assertThat(granted).isEqualTo(5);
        assertThat(reserved()).isLessThanOrEqualTo(POOL / 2);
        assertThat(other.grant(0)).isPositive();
    }
}
