package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Draws two nodes, and picks the one that costs less: with n nodes the most loaded one is about log log n above the
 * mean, where a single draw leaves it log n / log log n above (Azar et al.; Mitzenmacher: The Power of Two Choices).
 * The subclass defines the cost.
 *
 * <p>Bounds: so many draws for each of the two; a node that is drawn but may not be picked costs one. Where nearly no
 * node is healthy, all are looked through; if none is, that is not repeated for a tenth of a second.
 */
abstract class PowerOfTwo<N extends BalancerNode> implements Balancer<N> {
    private static final int DRAWS = 8;
    private static final long LOOK_AGAIN_NS = 100_000_000L;

    private final Draw draw;
    private final @Nullable SlowStart slowStart;
    private List<N> nodes = List.of();
    /** The nodes' shares, null where all weigh the same. */
    private @Nullable Shares shares;

    private boolean foundNobody;
    private long foundNobodyNs;

    PowerOfTwo(Draw draw, @Nullable SlowStart slowStart) {
        this.draw = draw;
        this.slowStart = slowStart;
    }

    /** Returns the cost of a pick of this node. */
    abstract double cost(int index, N node, long nowNs);

    @Override
    public void update(List<N> newNodes) {
        nodes = List.copyOf(newNodes);
        shares = BalancerNode.weighAlike(nodes) ? null : new Shares(nodes);
        foundNobody = false;
    }

    @Override
    public final @Nullable N pick(long hash, long nowNs, @Nullable N tried) {
        int size = nodes.size();
        if (size < 2) {
            return size == 0 ? null : nodes.get(0);
        }
        int one = drawn(tried, -1, nowNs);
        if (one < 0) {
            return anyone(tried, nowNs);
        }
        int other = drawn(tried, one, nowNs);
        N first = nodes.get(one);
        if (other < 0) {
            return first;
        }
        N second = nodes.get(other);
        return cost(other, second, nowNs) < cost(one, first, nowNs) ? second : first;
    }

    final double drawUnit() {
        return draw.unit();
    }

    /** A node's weight relative to the mean, as far as it has come to it. */
    final double weight(N node, long nowNs) {
        double weight = shares == null ? 1 : node.weight() / shares.meanWeight();
        return slowStart == null ? weight : weight * slowStart.part(node, nowNs);
    }

    /** Returns the index of a node at random, heavier ones more often. */
    int drawIndex() {
        return shares == null ? draw.below(nodes.size()) : shares.at(draw.unit());
    }

    private int drawn(@Nullable N tried, int besides, long nowNs) {
        for (int left = DRAWS; left > 0; left--) {
            int index = drawIndex();
            N node = nodes.get(index);
            if (index != besides && node != tried && node.isHealthy() && isUp(node, nowNs)) {
                return index;
            }
        }
        return -1;
    }

    private boolean isUp(N node, long nowNs) {
        if (slowStart == null) {
            return true;
        }
        double part = slowStart.part(node, nowNs);
        return part >= 1 || draw.unit() < part;
    }

    /** Returns a healthy node if there is any, at any cost. */
    private N anyone(@Nullable N tried, long nowNs) {
        int size = nodes.size();
        int from = draw.below(size);
        if (!foundNobody || nowNs - foundNobodyNs >= LOOK_AGAIN_NS) {
            for (int i = 0; i < size; i++) {
                N node = nodes.get((from + i) % size);
                if (node != tried && node.isHealthy()) {
                    foundNobody = false;
                    return node;
                }
            }
            foundNobody = true;
            foundNobodyNs = nowNs;
        }
        N node = nodes.get(from);
        return node != tried ? node : nodes.get((from + 1) % size);
    }
}
