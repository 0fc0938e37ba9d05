package io.remora.balance;

import org.jspecify.annotations.Nullable;

/**
 * Picks the one of two random nodes whose latency, times the attempts under way for its weight, is less.
 *
 * <p>Owner: one event loop. Cost: as {@link PowerOfTwo}, and two exponentials.
 */
public final class PeakEwma<N extends BalancerNode> extends PowerOfTwo<N> {
    private final long decayNs;

    /**
     * @param decayNs in which the weight of an old latency falls to a third
     */
    public PeakEwma(Draw draw, @Nullable SlowStart slowStart, long decayNs) {
        super(draw, slowStart);
        this.decayNs = decayNs;
    }

    @Override
    public History history() {
        return new LatencyEwma(decayNs);
    }

    @Override
    double cost(int index, N node, long nowNs) {
        double load = node.load() / weight(node, nowNs);
        return node.history() instanceof LatencyEwma latency ? latency.costNs(load, nowNs) : load;
    }
}
