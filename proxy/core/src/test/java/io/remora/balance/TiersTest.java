package io.remora.balance;

import static io.remora.balance.Simulation.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Priorities and zones. */
final class TiersTest {
    private static final int PICKS = 20_000;

    private final Draw draw = new Draw(1);
    private final List<SimNode> nodes = new ArrayList<>();
    private long nowNs;

    private Tiers<SimNode> tiers(String zone, int zoneLoad) {
        return new Tiers<>(() -> new LeastLoaded<>(draw, null), draw, false, 0.7, zone, zoneLoad);
    }

    private void add(int number, int priority, String zone) {
        for (int i = 0; i < number; i++) {
            SimNode node = new SimNode("n" + nodes.size(), (History) null);
            node.priority = priority;
            node.zone = zone;
            nodes.add(node);
        }
    }

    private void fell(int from, int number) {
        for (int i = from; i < from + number; i++) {
            nodes.get(i).healthy = false;
        }
    }

    /** By priority or zone, what part of the picks went there. */
    private double part(Balancer<SimNode> balancer, int from, int to) {
        nowNs += 200 * MS;
        int picked = 0;
        for (int i = 0; i < PICKS; i++) {
            int index = nodes.indexOf(balancer.pick(i, nowNs, null));
            picked += index >= from && index < to ? 1 : 0;
        }
        return (double) picked / PICKS;
    }

    /**
     * With a threshold of 70 %, as with Envoy's overprovisioning factor of 1.4 (which makes it 71 %): all to the first priority
     * down to 70 % healthy, and then h / 70 % of the requests.
     */
    @ParameterizedTest
    @CsvSource({"0,1", "3,1", "5,0.714", "8,0.286", "10,0"})
    void thePriorityBehindHelpsInProportion(int unhealthy, double expected) {
        add(10, 0, "");
        add(10, 1, "");
        Tiers<SimNode> tiers = tiers("", 0);
        tiers.update(nodes);
        assertThat(part(tiers, 0, 10)).isEqualTo(1);
        fell(0, unhealthy);
        assertThat(part(tiers, 0, 10)).isCloseTo(expected, within(0.02));
        assertThat(part(tiers, 10, 20)).isCloseTo(1 - expected, within(0.02));
    }

    /** What one short tier cannot take and the other cannot either is divided by what each can. */
    @Test
    void prioritiesThatAreAllShortShare() {
        add(10, 7, "");
        add(10, 3, "");
        Tiers<SimNode> tiers = tiers("", 0);
        tiers.update(nodes);
        // of the first one, which has the lower number: 2 of 10; of the second: 1 of 10
        fell(0, 9);
        fell(10, 8);
        double first = 0.2 / 0.7;
        double second = (1 - first) * 0.1 / 0.7;
        assertThat(part(tiers, 10, 20)).isCloseTo(first / (first + second), within(0.02));
        fell(9, 1);
        fell(18, 2);
        assertThat(tiers.pick(0, nowNs + 200 * MS, null))
                .as("somebody rather than nobody")
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"0,1", "2,0.714", "4,0"})
    void theOtherZonesHelpInProportion(int unhealthy, double expected) {
        add(4, 0, "b");
        add(4, 0, "a");
        add(4, 0, "");
        Tiers<SimNode> tiers = tiers("a", 0);
        tiers.update(nodes);
        fell(4, unhealthy);
        assertThat(part(tiers, 4, 8)).isCloseTo(expected, within(0.02));
    }

    /** Another zone's endpoint of the first priority comes before the own zone's of the second. */
    @Test
    void aPriorityComesBeforeAZone() {
        add(2, 1, "a");
        add(2, 0, "b");
        Tiers<SimNode> tiers = tiers("a", 0);
        tiers.update(nodes);
        assertThat(part(tiers, 2, 4)).isEqualTo(1);
    }

    @Test
    void theOtherZonesHelpWhereTheOwnHasMuchUnderWay() {
        add(1, 0, "a");
        add(2, 0, "b");
        Tiers<SimNode> tiers = tiers("a", 3);
        tiers.update(nodes);
        for (int i = 0; i < 10; i++) {
            tiers.pick(0, 0, null).begin();
        }
        assertThat(nodes.get(0).load).isEqualTo(3);
        nodes.get(1).healthy = false;
        nodes.get(2).healthy = false;
        assertThat(tiers.pick(0, 0, null)).as("nobody can help").isSameAs(nodes.get(0));
    }

    @Test
    void whoWasTriedIsFollowedByAnotherTier() {
        add(1, 0, "");
        add(1, 1, "");
        Tiers<SimNode> tiers = tiers("", 0);
        tiers.update(nodes);
        assertThat(tiers.pick(0, 0, nodes.get(0))).isSameAs(nodes.get(1));
        assertThat(tiers.pick(0, 0, null)).isSameAs(nodes.get(0));
    }

    @Test
    void nodesMayMoveAndGo() {
        add(2, 0, "");
        add(2, 1, "");
        Tiers<SimNode> tiers = tiers("", 0);
        tiers.update(nodes);
        nodes.get(0).priority = 1;
        nodes.get(2).priority = 0;
        tiers.update(nodes);
        assertThat(part(tiers, 1, 3)).isEqualTo(1);
        tiers.update(List.of(nodes.get(3)));
        assertThat(tiers.pick(0, nowNs, null)).isSameAs(nodes.get(3));
        tiers.update(List.of());
        assertThat(tiers.pick(0, nowNs, null)).isNull();
    }

    /** One hash, one node, also where its tier takes a part only. */
    @Test
    void aHashSticksToItsTier() {
        add(4, 0, "");
        add(4, 1, "");
        Tiers<SimNode> tiers = new Tiers<>(() -> new Maglev<>(1.25, null), draw, true, 0.7, "", 0);
        tiers.update(nodes);
        fell(0, 2);
        int first = 0;
        for (int i = 0; i < 1_000; i++) {
            long hash = Hash.of("k" + i);
            SimNode node = tiers.pick(hash, 0, null);
            assertThat(tiers.pick(hash, 0, null)).isSameAs(node);
            first += nodes.indexOf(node) < 4 ? 1 : 0;
        }
        assertThat(first).isBetween(650, 780);
    }
}
