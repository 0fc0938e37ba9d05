package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MaglevTest {
    private static final int KEYS = 100_000;

    private final Maglev<SimNode> unbounded = new Maglev<>(0, null);

    private static long key(int number) {
        return Hash.of("user-" + number);
    }

    private static SimNode[] where(Maglev<SimNode> balancer) {
        SimNode[] where = new SimNode[KEYS];
        for (int i = 0; i < KEYS; i++) {
            where[i] = balancer.pick(key(i), 0, null);
        }
        return where;
    }

    private static MaglevTable filled(List<SimNode> nodes) {
        MaglevTable table = new MaglevTable(nodes);
        table.fill(table.size());
        assertThat(table.isFull()).isTrue();
        return table;
    }

    // ---- the table

    /** An update that is prepared part by part ends where the one at once does, and is not seen before. */
    @Test
    void isPreparedInParts() {
        List<SimNode> nodes = SimulationTest.nodes(10, unbounded);
        nodes.get(3).weight = 5;
        unbounded.update(nodes.subList(0, 5));
        SimNode[] before = where(unbounded);
        int parts = 1;
        while (!unbounded.prepare(nodes)) {
            parts++;
            assertThat(where(unbounded)).isEqualTo(before);
        }
        assertThat(parts).isGreaterThan(10);
        unbounded.update(nodes);
        SimNode[] after = where(unbounded);
        unbounded.update(nodes);
        assertThat(after).isEqualTo(where(unbounded)).isNotEqualTo(before);
    }

    /** Nodes take turns, so that none has more than one place more than another (Maglev, section 3.4). */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10, 100, 1_000})
    void dividesThePlacesEvenly(int number) {
        MaglevTable table = filled(SimulationTest.nodes(number, unbounded));
        int[] places = new int[number];
        for (int i = 0; i < table.size(); i++) {
            places[table.node(i)]++;
        }
        Arrays.sort(places);
        assertThat(places[number - 1] - places[0]).isLessThanOrEqualTo(1);
    }

    @Test
    void dividesThePlacesByWeight() {
        List<SimNode> nodes = SimulationTest.nodes(10, unbounded);
        nodes.get(3).weight = 5;
        MaglevTable table = filled(nodes);
        int places = 0;
        for (int i = 0; i < table.size(); i++) {
            places += table.node(i) == 3 ? 1 : 0;
        }
        assertThat((double) places / table.size()).isCloseTo(5 / 14.0, within(0.01));
    }

    /**
     * The keys of the node that goes have to move, 1 in n of all; of the others few do. The paper's figure 12 has about 1 % to
     * 2 % of changed places beyond those with 1,000 nodes and 65,537 places; no key moves at all with an ideal hash.
     */
    @ParameterizedTest
    @CsvSource({"3,0.15", "10,0.06", "100,0.04", "1000,0.04"})
    void fewKeysMoveWhereOneGoes(int number, double most) {
        List<SimNode> nodes = SimulationTest.nodes(number, unbounded);
        unbounded.update(nodes);
        SimNode[] before = where(unbounded);
        SimNode gone = nodes.remove(number / 2);
        unbounded.update(nodes);
        SimNode[] after = where(unbounded);
        int had = 0;
        int moved = 0;
        for (int i = 0; i < KEYS; i++) {
            had += before[i] == gone ? 1 : 0;
            moved += before[i] != gone && before[i] != after[i] ? 1 : 0;
        }
        assertThat((double) had / KEYS).isCloseTo(1.0 / number, within(0.1 / number + 0.001));
        assertThat((double) moved / KEYS).isLessThan(most);
    }

    /** Sidecars agree whatever order their source has. */
    @Test
    void theOrderOfTheNodesDoesNotMatter() {
        List<SimNode> nodes = SimulationTest.nodes(20, unbounded);
        unbounded.update(nodes);
        SimNode[] before = where(unbounded);
        java.util.Collections.shuffle(nodes, new Random(1));
        unbounded.update(nodes);
        assertThat(where(unbounded)).isEqualTo(before);
    }

    /** The keys of a node that is unhealthy go to all of the others, and come back. */
    @Test
    void theKeysOfAnUnhealthyNodeAreSpread() {
        List<SimNode> nodes = SimulationTest.nodes(10, unbounded);
        unbounded.update(nodes);
        SimNode[] before = where(unbounded);
        nodes.get(2).healthy = false;
        SimNode[] meanwhile = where(unbounded);
        int[] got = new int[10];
        for (int i = 0; i < KEYS; i++) {
            if (before[i] == nodes.get(2)) {
                got[nodes.indexOf(meanwhile[i])]++;
            } else {
                assertThat(meanwhile[i]).isSameAs(before[i]);
            }
        }
        assertThat(got[2]).isZero();
        for (int i = 0; i < 10; i++) {
            assertThat(i == 2 ? KEYS / 90 : got[i]).isBetween(KEYS / 130, KEYS / 70);
        }
        nodes.get(2).healthy = true;
        assertThat(where(unbounded)).isEqualTo(before);
    }

    @Test
    void avoidsWhoWasTried() {
        List<SimNode> nodes = SimulationTest.nodes(3, unbounded);
        unbounded.update(nodes);
        SimNode first = unbounded.pick(key(1), 0, null);
        SimNode second = unbounded.pick(key(1), 0, first);
        assertThat(second).isNotSameAs(first).isSameAs(unbounded.pick(key(1), 0, first));
    }

    // ---- the bound on load

    /**
     * No node ever has more than c times the mean, rounded up (Mirrokni, Thorup, Zadimoghaddam: theorem 1), although a tenth of
     * all requests have the same key.
     */
    @ParameterizedTest
    @ValueSource(doubles = {1.05, 1.25, 2})
    void theBoundHolds(double bound) {
        Random random = new Random(2);
        Maglev<SimNode> balancer = new Maglev<>(bound, null);
        List<SimNode> nodes = SimulationTest.nodes(10, balancer);
        balancer.update(nodes);
        ArrayDeque<SimNode> underWay = new ArrayDeque<>();
        int stayed = 0;
        for (int i = 0; i < 200_000; i++) {
            int number = random.nextInt(10) == 0 ? 0 : random.nextInt(KEYS);
            SimNode node = balancer.pick(key(number), 0, null);
            node.begin();
            underWay.add(node);
            assertThat(node.load).isLessThanOrEqualTo((int) Math.ceil(bound * underWay.size() / 10 - 1e-9));
            if (underWay.size() > 100) {
                underWay.remove().end(false, 1, 0);
            }
            stayed += node == balancer.pick(key(number), 0, null) ? 1 : 0;
        }
        assertThat(stayed).isPositive();
    }

    /** The looser the bound, the more requests go where their key always goes. */
    @Test
    void aLooserBoundKeepsMoreTogether() {
        assertThat(kept(2)).isGreaterThan(kept(1.25));
        assertThat(kept(1.25)).isGreaterThan(kept(1.05));
        assertThat(kept(2)).isGreaterThan(0.99);
        assertThat(kept(1.25)).isGreaterThan(0.85);
    }

    private double kept(double bound) {
        Random random = new Random(3);
        Maglev<SimNode> balancer = new Maglev<>(bound, null);
        List<SimNode> nodes = SimulationTest.nodes(10, balancer);
        balancer.update(nodes);
        unbounded.update(nodes);
        balancer.update(nodes);
        ArrayDeque<SimNode> underWay = new ArrayDeque<>();
        int kept = 0;
        for (int i = 0; i < 100_000; i++) {
            long key = key(random.nextInt(KEYS));
            SimNode node = balancer.pick(key, 0, null);
            kept += node == unbounded.pick(key, 0, null) ? 1 : 0;
            node.begin();
            underWay.add(node);
            if (underWay.size() > 300) {
                underWay.remove().end(false, 1, 0);
            }
        }
        return kept / 100_000.0;
    }

    /** Attempts that outlive their node count for nobody. */
    @Test
    void theBoundForgetsWhoIsGone() {
        Maglev<SimNode> balancer = new Maglev<>(1.25, null);
        List<SimNode> nodes = SimulationTest.nodes(4, balancer);
        balancer.update(nodes);
        SimNode gone = nodes.get(0);
        for (int i = 0; i < 100; i++) {
            gone.begin();
        }
        balancer.update(new ArrayList<>(nodes.subList(1, 4)));
        for (int i = 0; i < 100; i++) {
            gone.end(false, 1, 0);
        }
        for (int i = 0; i < 12; i++) {
            balancer.pick(key(0), 0, null).begin();
        }
        for (SimNode node : nodes.subList(1, 4)) {
            assertThat(node.load).isBetween(2, 5);
        }
    }
}
