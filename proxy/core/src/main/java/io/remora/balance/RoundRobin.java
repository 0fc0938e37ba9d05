package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks nodes in turn, passing over those that are not healthy while there are others; the heavier ones more often, with
 * the others in between.
 *
 * <p>Owner: one event loop. Cost: O(1), O(log n) where weights differ or nodes may be new.
 */
public final class RoundRobin<N extends BalancerNode> implements Balancer<N> {
    private final long start;
    private final @Nullable SlowStart slowStart;
    private List<N> nodes = List.of();
    private int next = -1;
    /** The schedule where turns are not all alike. */
    private @Nullable Schedule<N> schedule;

    /**
     * @param start where among the nodes the turns begin, any number; sidecars that start together should not all begin
     *     with the same one
     */
    public RoundRobin(long start, @Nullable SlowStart slowStart) {
        this.start = start;
        this.slowStart = slowStart;
    }

    @Override
    public void update(List<N> newNodes) {
        nodes = List.copyOf(newNodes);
        if (next < 0 && !nodes.isEmpty()) {
            next = (int) Math.floorMod(start, (long) nodes.size());
        } else if (next >= nodes.size()) {
            next = 0;
        }
        boolean alike = nodes.isEmpty() || slowStart == null && BalancerNode.weighAlike(nodes);
        schedule = alike ? null : new Schedule<>(nodes, slowStart, next);
    }

    @Override
    public @Nullable N pick(long hash, long nowNs, @Nullable N tried) {
        if (schedule != null) {
            advance();
            return schedule.pick(nowNs, tried);
        }
        N unhealthy = null;
        for (int left = nodes.size(); left > 0; left--) {
            N node = nodes.get(next);
            advance();
            if (node != tried && node.isHealthy()) {
                return node;
            }
            if (unhealthy == null && node != tried) {
                unhealthy = node;
            }
        }
        return unhealthy != null || nodes.isEmpty() ? unhealthy : tried;
    }

    private void advance() {
        next = next + 1 >= nodes.size() ? 0 : next + 1;
    }
}
