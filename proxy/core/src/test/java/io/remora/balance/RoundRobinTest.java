package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RoundRobinTest {
    private static final class Endpoint implements Node {
        private final String name;
        private boolean healthy = true;

        Endpoint(String name) {
            this.name = name;
        }

        @Override
        public int load() {
            return 0;
        }

        @Override
        public boolean isHealthy() {
            return healthy;
        }

        @Override
        public int weight() {
            return 1;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private final Endpoint a = new Endpoint("a");
    private final Endpoint b = new Endpoint("b");
    private final Endpoint c = new Endpoint("c");
    private final RoundRobin<Endpoint> balancer = new RoundRobin<>();

    private String picks(int count, @Nullable Endpoint tried) {
        StringBuilder picks = new StringBuilder();
        for (int i = 0; i < count; i++) {
            picks.append(balancer.pick(tried));
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
        assertThat(balancer.pick(null)).isNull();
        assertThat(balancer.pick(a)).isNull();
        balancer.update(List.of(a));
        assertThat(picks(2, null)).isEqualTo("aa");
        balancer.update(List.of());
        assertThat(balancer.pick(null)).isNull();
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
        assertThat(balancer.pick(null)).isNotNull();
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
        List<Endpoint> nodes = new ArrayList<>(List.of(a, b));
        balancer.update(nodes);
        nodes.clear();
        assertThat(picks(2, null)).isEqualTo("ab");
    }
}
