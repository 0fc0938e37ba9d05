package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RoundRobinTest {
    private final SimNode a = new SimNode("a", (History) null);
    private final SimNode b = new SimNode("b", (History) null);
    private final SimNode c = new SimNode("c", (History) null);
    private final RoundRobin<SimNode> balancer = new RoundRobin<>(0, null);

    private String picks(int count, @Nullable SimNode tried) {
        StringBuilder picks = new StringBuilder();
        for (int i = 0; i < count; i++) {
            picks.append(balancer.pick(0, 0, tried));
        }
        return picks.toString();
    }

    @Test
    void picksInTurn() {
        balancer.update(List.of(a, b, c));
        assertThat(picks(7, null)).isEqualTo("abcabca");
    }

    @Test
    void picksNobodyWhereThereIsNobody() {
        assertThat(balancer.pick(0, 0, null)).isNull();
        assertThat(balancer.pick(0, 0, a)).isNull();
        balancer.update(List.of(a));
        assertThat(picks(2, null)).isEqualTo("aa");
        balancer.update(List.of());
        assertThat(balancer.pick(0, 0, null)).isNull();
    }

    @Test
    void avoidsWhoWasTried() {
        balancer.update(List.of(a, b, c));
        assertThat(picks(4, a)).isEqualTo("bcbc");
        assertThat(picks(4, c)).isEqualTo("abab");
    }

    @Test
    void picksWhoWasTriedWhereThereIsNoOther() {
        balancer.update(List.of(a));
        assertThat(picks(2, a)).isEqualTo("aa");
    }

    /** The endpoint of the attempt before may have left the cluster meanwhile. */
    @Test
    void doesNotMindThatWhoWasTriedIsNotThere() {
        balancer.update(List.of(a, b));
        assertThat(picks(3, c)).isEqualTo("aba");
    }

    @Test
    void avoidsTheUnhealthy() {
        balancer.update(List.of(a, b, c));
        b.healthy = false;
        assertThat(picks(4, null)).isEqualTo("acac");
        assertThat(picks(2, a)).isEqualTo("cc");
        b.healthy = true;
        assertThat(picks(3, null)).isEqualTo("abc");
    }

    @Test
    void picksAnUnhealthyOneRatherThanNobodyAndRatherThanWhoWasTried() {
        balancer.update(List.of(a, b));
        a.healthy = false;
        b.healthy = false;
        assertThat(balancer.pick(0, 0, null)).isNotNull();
        assertThat(picks(2, a)).isEqualTo("bb");
        a.healthy = true;
        assertThat(picks(2, a)).isEqualTo("bb");
    }

    /** The turn goes on with the nodes that are there now. */
    @Test
    void goesOnWithTheNodesOfAnUpdate() {
        balancer.update(List.of(a, b, c));
        assertThat(picks(2, null)).isEqualTo("ab");
        balancer.update(List.of(a, b));
        assertThat(picks(3, null)).isEqualTo("aba");
        balancer.update(List.of(a, b, c));
        assertThat(picks(4, null)).isEqualTo("bcab");
    }

    /** What the caller does to its list afterwards is the caller's. */
    @Test
    void keepsTheNodesOfTheUpdate() {
        List<SimNode> nodes = new ArrayList<>(List.of(a, b));
        balancer.update(nodes);
        nodes.clear();
        assertThat(picks(2, null)).isEqualTo("ab");
    }

    /**
     * The heavy one comes with the others in between. Of nginx's smooth weighted round robin it is known that it picks aabacaa
     * for these weights, where at the seam four of one come in a row.
     */
    @Test
    void spreadsTheTurnsOfTheHeavy() {
        a.weight = 5;
        balancer.update(List.of(a, b, c));
        String picks = picks(70, null);
        assertThat(picks).doesNotContain("aaaa").doesNotContain("bc").doesNotContain("cb");
        for (int i = 0; i < 70; i += 7) {
            assertThat(picks.substring(i, i + 7).replace("a", "")).hasSize(2);
        }
    }

    /** At no time is anyone further than one turn from its share. */
    @Test
    void isNeverFarFromTheWeights() {
        List<SimNode> nodes = SimulationTest.nodes(8, balancer);
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            nodes.get(i).weight = i * i + 1;
            sum += i * i + 1;
        }
        balancer.update(nodes);
        for (int i = 1; i <= 5_000; i++) {
            balancer.pick(0, 0, null).begin();
            for (SimNode node : nodes) {
                assertThat((double) node.picks).isCloseTo((double) i * node.weight / sum, within(1.5));
            }
        }
    }

    /** The unhealthy heavy one's turns go to the others by their weights. */
    @Test
    void avoidsTheUnhealthyByWeight() {
        a.weight = 5;
        b.weight = 2;
        balancer.update(List.of(a, b, c));
        a.healthy = false;
        String picks = picks(30, null);
        assertThat(picks).doesNotContain("a");
        assertThat(picks.replace("b", "")).hasSize(10);
    }

    /** Sidecars that start together do not all begin with the same one. */
    @Test
    void beginsWhereItIsTold() {
        for (int start = -4; start < 4; start++) {
            RoundRobin<SimNode> other = new RoundRobin<>(start, null);
            other.update(List.of(a, b, c));
            assertThat(other.pick(0, 0, null)).isSameAs(List.of(a, b, c).get(Math.floorMod(start, 3)));
        }
    }
}
