package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
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
        for (int grant = budget.grant(0, ""); grant > 0; grant = budget.grant(0, "")) {
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
        assertThat(budget.grant(0, "")).isEqualTo(grants.get(0));
    }

    /** Else many that wait would fill the pool by what they may hold, and others would be refused while little is held. */
    @Test
    void generosityBringsOnNoShortage() {
        LoopBudget budget = budget(Plans.pool(128 << 20, MANY, 1_850));
        List<Integer> grants = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            grants.add(budget.grant(0, ""));
        }
        assertThat(grants).doesNotContain(0);
        assertThat(grants.get(0)).isEqualTo(256 << 10);
        assertThat(Pressure.CALM.next(budget.fill(), 0, false)).isEqualTo(Pressure.CALM);
        for (int grant : grants) {
            if (grant > LoopBudget.LEAST) {
                budget.shrink(grant);
            }
        }
        for (int i = 0; i < 500; i++) {
            budget.regrant(LoopBudget.LEAST);
        }
        assertThat(Pressure.CALM.next(budget.fill(), 0, false)).isEqualTo(Pressure.CALM);
    }

    private static MemoryPlan protectedPlan(int handshakes, MemoryCosts costs) {
        return new MemoryPlan(Plans.NO_LIMIT, 0, POOL, 0, 1 << 20, MANY, MANY, handshakes, costs);
    }

    private static MemoryCosts costs(AtomicLong held) {
        MemoryCosts.Cost connection = new MemoryCosts.Cost(12_000, 0);
        return new MemoryCosts(1_000, 0, connection, connection, new MemoryCosts.Cost(40_000, 0), held::get);
    }

    @Test
    void exchangesLeaveRoomForHandshakes() {
        LoopBudget budget = budget(protectedPlan(3, costs(new AtomicLong())));
        while (budget.grant(0, "") > 0) {
            assertThat(reserved()).isLessThan(POOL);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(budget.handshakes().begin()).isTrue();
            budget.handshakes().admit();
        }
        assertThat(reserved()).isLessThanOrEqualTo(POOL);
        assertThat(budget.handshakes().begin()).as("a silent one").isTrue();
        assertThat(budget.handshakes().hasPlace()).as("no more than is planned").isFalse();
        budget.handshakes().ended(false);
        assertThat(stats.value(LoopMetric.MEMORY_HANDSHAKES)).isEqualTo(3);
        budget.handshakes().ended(true);
        assertThat(budget.grant(0, ""))
                .as("what a handshake has left is for handshakes")
                .isZero();
        assertThat(budget.handshakes().begin()).isTrue();
        budget.handshakes().admit();
    }

    /** Connections of which nothing is known but that they are there, and those that wait, leave most of the pool to others. */
    @Test
    void connectionsBeforeTheirHandshakesTakeAShareEach() {
        LoopBudget budget = budget(protectedPlan(3, costs(new AtomicLong())));
        HandshakeBudget handshakes = budget.handshakes();
        int silent = 0;
        do {
            assertThat(handshakes.begin()).isTrue();
            silent++;
        } while (handshakes.silentFit());
        handshakes.ended(false);
        silent--;
        assertThat(silent).isPositive();
        assertThat(reserved()).isLessThanOrEqualTo(Math.max(POOL / 8, 8L * MemoryCosts.SOCKET_BYTES));
        int waiting = 0;
        while (handshakes.await(10_000)) {
            waiting++;
            assertThat(handshakes.begin()).isTrue();
            assertThat(handshakes.silentFit()).as("in its place").isTrue();
        }
        assertThat(waiting).isBetween(2, silent);
        assertThat(stats.value(LoopMetric.MEMORY_HANDSHAKES_WAITING)).isEqualTo(waiting);
        handshakes.awaited(10_000);
        assertThat(stats.value(LoopMetric.MEMORY_HANDSHAKES_WAITING)).isEqualTo(waiting - 1);
        assertThat(reserved())
                .isLessThanOrEqualTo(
                        Math.max(POOL / 4, 8L * MemoryCosts.SOCKET_BYTES + 2 * (10_000 + MemoryCosts.SOCKET_BYTES)));
    }

    @Test
    void protectedConnectionsWeighMore() {
        LoopBudget budget = budget(protectedPlan(3, costs(new AtomicLong())));
        assertThat(budget.open()).isTrue();
        assertThat(reserved()).isEqualTo(MemoryCosts.SOCKET_BYTES + 12_000);
        assertThat(stats.value(LoopMetric.MEMORY_TLS)).isEqualTo(12_000);
        int grant = budget.grant(0, "");
        assertThat(budget.reserved(grant)).isEqualTo(MemoryPlan.reserved(grant, 0) + 12_000);
        assertThat(stats.value(LoopMetric.MEMORY_TLS)).isEqualTo(24_000);
        budget.giveBack(grant, 0);
        budget.closed();
        assertThat(budget.handshakes().begin()).isTrue();
        assertThat(reserved()).as("silent").isEqualTo(MemoryCosts.SOCKET_BYTES);
        budget.handshakes().admit();
        assertThat(reserved()).isEqualTo(MemoryCosts.SOCKET_BYTES + 52_000);
        assertThat(budget.handshakes().begin()).isTrue();
        assertThat(budget.handshakes().await(500)).isTrue();
        assertThat(reserved()).as("one that waits").isEqualTo(2 * MemoryCosts.SOCKET_BYTES + 52_500);
        budget.handshakes().awaited(500);
        budget.handshakes().ended(false);
        budget.handshakes().ended(true);
        assertThat(reserved()).isZero();
        assertThat(stats.value(LoopMetric.MEMORY_TLS)).isZero();
    }

    /** A window of HTTP/2 counts with its exchange, and not as what TLS may hold. */
    @Test
    void whatIsSpokenWeighsAndIsNoTls() {
        MemoryCosts costs =
                costs(new AtomicLong()).speaking(new MemoryCosts.Cost(1_000, 0), new MemoryCosts.Cost(16_000, 0));
        LoopBudget budget = budget(protectedPlan(3, costs));
        assertThat(budget.open()).isTrue();
        assertThat(reserved()).isEqualTo(MemoryCosts.SOCKET_BYTES + 13_000);
        assertThat(stats.value(LoopMetric.MEMORY_TLS)).isEqualTo(12_000);
        int grant = budget.grant(0, "");
        assertThat(budget.reserved(grant)).isEqualTo(MemoryPlan.reserved(grant, 0) + 28_000);
        assertThat(stats.value(LoopMetric.MEMORY_TLS)).isEqualTo(24_000);
        budget.giveBack(grant, 0);
        budget.closed();
        assertThat(reserved()).isZero();
        assertThat(stats.value(LoopMetric.MEMORY_TLS)).isZero();
    }

    @Test
    void whatALibraryHoldsUnplannedIsTaken() {
        AtomicLong held = new AtomicLong(1_000);
        MemoryWatch watch = new MemoryWatch(protectedPlan(3, costs(held)), 1);
        LoopBudget budget = watch.budget(0, stats);
        budget.open();
        held.set(13_000);
        watch.run();
        assertThat(watch.unplannedBytes()).as("as planned").isZero();
        assertThat(watch.countedBytes()).isEqualTo(13_000);
        int before = budget.fill();
        held.addAndGet(POOL);
        watch.run();
        assertThat(watch.unplannedBytes()).isEqualTo(POOL);
        assertThat(budget.fill()).isEqualTo(before + 1_000);
        assertThat(watch.pressure().isAtLeast(Pressure.REFUSE)).isTrue();
        assertThat(budget.grant(0, "")).isZero();
    }

    @Test
    void admitsNoMoreExchangesThanThePlan() {
        LoopBudget budget = budget(Plans.pool(POOL, MANY, 3));
        int grant = budget.grant(0, "");
        assertThat(budget.grant(0, "")).isPositive();
        assertThat(budget.grant(0, "")).isPositive();
        assertThat(budget.grant(0, "")).isZero();
        budget.giveBack(grant, 0);
        assertThat(budget.grant(0, "")).isPositive();
    }

    @Test
    void admitsNoHeadThatTheHeapHasNoRoomFor() {
        LoopBudget budget = budget(Plans.plain(Plans.NO_LIMIT, 0, POOL, 0, 10_000, MANY, MANY));
        int grant = budget.grant(6_000, "");
        assertThat(grant).isPositive();
        assertThat(budget.grant(4_001, "")).isZero();
        assertThat(budget.hold(4_000)).isTrue();
        assertThat(budget.hold(1)).isFalse();
        assertThat(budget.grant(0, "")).isZero();
        budget.hold(-4_001);
        budget.giveBack(grant, 6_000);
        assertThat(stats.value(LoopMetric.MEMORY_HELD)).isZero();
        assertThat(budget.grant(10_000, "")).isPositive();
    }

    @Test
    void unfinishedSectionsLeaveAFifthOfTheHeapToWholeOnes() {
        LoopBudget budget = budget(Plans.plain(Plans.NO_LIMIT, 0, POOL, 0, 10_000, MANY, MANY));
        Held head = new Held(budget);
        assertThat(head.to(8_000, 8_000)).isTrue();
        assertThat(head.to(8_001, 8_001)).isFalse();
        assertThat(budget.unfinishedFits()).isFalse();
        assertThat(budget.makeRoomForUnfinished("")).isFalse();
        assertThat(budget.grant(1_999, "")).as("a whole one").isPositive();
        assertThat(head.to(8_000, 8_000)).isTrue();
        assertThat(budget.unfinishedFits()).isTrue();
        assertThat(budget.hold(1)).as("all of it is taken").isTrue();
        assertThat(head.to(8_000, 8_001))
                .as("the rest of a frame turns out to be a head's")
                .isFalse();
        assertThat(head.to(0)).isTrue();
        assertThat(budget.unfinishedFits()).isTrue();
    }

    @Test
    void wholeHeadsLeaveTheirPartToUnfinishedOnes() {
        LoopBudget budget = budget(Plans.plain(Plans.NO_LIMIT, 0, POOL, 0, 10_000, MANY, MANY));
        assertThat(budget.grant(8_500, "")).isPositive();
        Held head = new Held(budget);
        assertThat(head.to(1_500, 1_500)).isTrue();
        assertThat(head.to(1_501, 1_501)).as("nothing is left").isFalse();
        assertThat(budget.makeRoomForUnfinished("")).isFalse();
    }

    /** Ten clients hold what is unfinished, each no more than its part of the whole heap. */
    @Test
    void unfinishedSectionsYieldToAClientThatHasNone() {
        LoopBudget budget = budget(Plans.plain(Plans.NO_LIMIT, 0, POOL, 0, 10_000, MANY, MANY));
        Map<String, Held> heads = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            Held head = new Held(budget);
            heads.put("10.0.0." + i, head);
            assertThat(head.to(800, 800)).isTrue();
        }
        budget.claimsFrom((loop, into) -> heads.forEach((client, head) ->
                into.add(new Claim(client, false, head.bytes(), System.nanoTime() - 10_000_000_000L, 0, () -> {
                    heads.remove(client);
                    head.to(0);
                }))));
        assertThat(new Held(budget).to(200, 200)).isFalse();
        assertThat(budget.makeRoomForUnfinished("10.0.0.99")).isTrue();
        assertThat(heads).hasSize(9);
    }

    @Test
    void copiesLeaveHalfOfTheHeapToHeads() {
        LoopBudget budget = budget(Plans.plain(Plans.NO_LIMIT, 0, POOL, 0, 10_000, MANY, MANY));
        assertThat(budget.holdSpare(5_000)).isTrue();
        assertThat(budget.holdSpare(1)).isFalse();
        assertThat(stats.value(LoopMetric.MEMORY_HELD)).isEqualTo(5_000);
        assertThat(budget.grant(5_000, "")).isPositive();
    }

    @Test
    void connectionsTakeOfThePoolAndAreBounded() {
        LoopBudget budget = budget(Plans.pool(POOL, 2, MANY));
        assertThat(budget.open()).isTrue();
        assertThat(budget.open()).isTrue();
        assertThat(reserved()).isEqualTo(2 * MemoryCosts.SOCKET_BYTES);
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
        int grant = budget.grant(0, "");
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
        while (one.grant(0, "") > 0) {
            granted++;
        }
        assertThat(granted).isEqualTo(5);
        assertThat(reserved()).isLessThanOrEqualTo(POOL / 2);
        assertThat(other.grant(0, "")).isPositive();
    }

    // ---- clients that have too much

    private final List<Integer> granted = new ArrayList<>();

    /** Exchanges of one client that have moved nothing for long, as many as there is room for. */
    private LoopBudget takenByOne(MemoryPlan plan, int connections) {
        LoopBudget budget = budget(plan);
        for (int i = 0; i < connections; i++) {
            budget.open();
        }
        for (int grant = budget.grant(0, "greedy"); grant > 0; grant = budget.grant(0, "greedy")) {
            granted.add(grant);
        }
        budget.claimsFrom((loop, into) -> granted.forEach(grant -> into.add(claim(budget, grant))));
        return budget;
    }

    private Claim claim(LoopBudget budget, Integer grant) {
        return new Claim("greedy", true, 0, System.nanoTime() - 10_000_000_000L, 0, () -> {
            granted.remove(grant);
            budget.giveBack(grant, 0);
        });
    }

    /** Connections take of the pool, so that the most exchanges that there may be are more than there is room for. */
    @Test
    void sharesAreOfWhatThereIsRoomFor() {
        LoopBudget budget = takenByOne(Plans.pool(POOL, MANY, 2 * POOL / (64 << 10)), POOL / 2 / (4 << 10));
        int before = granted.size();
        assertThat(before).isGreaterThan(10);
        assertThat(budget.grant(0, "other")).isEqualTo(LoopBudget.LEAST);
        assertThat(granted).hasSize(before - 1);
    }

    /** The same for the heap, of which each has an equal part. */
    @Test
    void whoHoldsTooMuchLeavesAFifthOfTheHeapWhileOthersAreShort() {
        LoopBudget budget = budget(Plans.pool(POOL, MANY, 100));
        int most = 1 << 20;
        List<Integer> held = new ArrayList<>(List.of(most / 10, most - most / 10));
        budget.claimsFrom((loop, into) -> held.forEach(
                bytes -> into.add(new Claim("greedy", false, bytes, System.nanoTime() - 10_000_000_000L, 0, () -> {
                    held.remove(bytes);
                    budget.hold(-bytes);
                }))));
        assertThat(budget.hold(most)).isTrue();
        assertThat(budget.hold(100)).isFalse();
        assertThat(budget.makeRoomForHeld("greedy")).as("nobody else asks").isFalse();
        budget.hold(-100);
        assertThat(budget.grant(1_000, "other")).isPositive();
        assertThat(held).containsExactly(most / 10);
        held.add(most - most / 4);
        budget.hold(most - most / 4);
        assertThat(budget.hold(0)).as("somebody is short").isFalse();
        assertThat(budget.makeRoomForHeld("greedy")).isFalse();
        assertThat(budget.makeRoomForHeld("other")).isTrue();
        assertThat(budget.grant(1_000, "greedy")).isZero();
        assertThat(budget.grant(1_000, "other")).isPositive();
    }

    /** Else the room that is made for others would be gone before they come again. */
    @Test
    void whoHasTooMuchLeavesRoomWhileOthersAreShort() {
        LoopBudget budget = takenByOne(Plans.pool(POOL, MANY, 100), 0);
        assertThat(granted).hasSize(100);
        int grant = budget.grant(0, "other");
        assertThat(grant).isPositive();
        budget.giveBack(grant, 0);
        assertThat(budget.grant(0, "greedy")).isZero();
        for (int i = 0; i < 30; i++) {
            budget.giveBack(granted.remove(0), 0);
        }
        assertThat(budget.grant(0, "greedy")).as("far from the bound").isPositive();
    }
}
