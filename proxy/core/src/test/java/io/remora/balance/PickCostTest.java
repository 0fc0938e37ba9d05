package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.remora.balance.SimulationTest.Kind;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a pick allocates. */
final class PickCostTest {
    private static final int PICKS = 50_000;

    @ParameterizedTest
    @EnumSource
    void aPickAllocatesNothing(Kind kind) {
        Balancer<SimNode> plain = kind.balancer(1, new SlowStart(1_000));
        Draw draw = new Draw(2);
        Tiers<SimNode> tiers = new Tiers<>(() -> kind.balancer(1), draw, true, 0.7, "a", 0);
        allocatesNothing(plain);
        allocatesNothing(tiers);
    }

    private static void allocatesNothing(Balancer<SimNode> balancer) {
        List<SimNode> nodes = SimulationTest.nodes(1_000, balancer);
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).weight = 1 + i % 3;
            nodes.get(i).zone = i % 2 == 0 ? "a" : "b";
            nodes.get(i).priority = i % 2;
            nodes.get(i).healthy = i % 5 > 0;
        }
        balancer.update(nodes);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // the first ones load what they need
        for (int round = 0; round < 5; round++) {
            long before = thread.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < PICKS; i++) {
                SimNode node = balancer.pick(Draw.mix(i), i * 1_000L, null);
                node.begin();
                node.end(i % 100 == 0, 5_000_000, i * 1_000L);
            }
            least = Math.min(least, thread.getCurrentThreadAllocatedBytes() - before);
        }
        // what reads the counter may allocate itself
        assertThat(least).isLessThan(PICKS / 10);
    }
}
