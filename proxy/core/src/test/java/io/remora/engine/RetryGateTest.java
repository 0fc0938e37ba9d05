package io.remora.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.ClusterMetric;
import io.remora.metrics.ClusterStats;
import org.junit.jupiter.api.Test;

/** Hedges and retries share what bounds them. */
final class RetryGateTest {
    private final ClusterStats stats = new ClusterStats("app");

    @Test
    void hedgesTakeFromTheBudgetOfRetries() {
        RetryGate gate = new RetryGate(stats, Integer.MAX_VALUE, 0);
        for (int i = 0; i < 5; i++) {
            assertThat(gate.enterHedge(0)).isTrue();
            assertThat(gate.enter("reset", 0)).isTrue();
        }
        assertThat(gate.enterHedge(0)).isFalse();
        assertThat(gate.enter("reset", 0)).isFalse();
        assertThat(stats.value(ClusterMetric.HEDGES, "refused")).isOne();
        assertThat(stats.value(ClusterMetric.RETRIES, "reset")).isEqualTo(5);
        assertThat(stats.value(ClusterMetric.RETRIES_REFUSED, "budget")).isOne();
    }

    @Test
    void theyAreInFlightTogether() {
        RetryGate gate = new RetryGate(stats, 1, 0);
        assertThat(gate.enterHedge(0)).isTrue();
        assertThat(gate.enter("reset", 0)).isFalse();
        gate.hedgeEnded(true);
        assertThat(gate.enter("reset", 0)).isTrue();
        assertThat(gate.enterHedge(0)).isFalse();
        gate.ended();
        assertThat(gate.enterHedge(0)).isTrue();
        gate.hedgeEnded(false);
        assertThat(stats.value(ClusterMetric.HEDGES, "won")).isOne();
        assertThat(stats.value(ClusterMetric.HEDGES, "lost")).isOne();
    }
}
