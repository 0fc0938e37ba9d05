package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Picks nodes in turn, passing over those that are not healthy while there are others. Owner: one event loop. */
public final class RoundRobin<N extends Node> implements Balancer<N> {
    private List<N> nodes = List.of();
    private int next;

    @Override
    public void update(List<N> newNodes) {
        nodes = List.copyOf(newNodes);
        if (next >= nodes.size()) {
            next = 0;
        }
    }

    @Override
    public @Nullable N pick(@Nullable N tried) {
        N unhealthy = null;
        for (int left = nodes.size(); left > 0; left--) {
            N node = nodes.get(next);
            next = next + 1 == nodes.size() ? 0 : next + 1;
            if (node != tried && node.isHealthy()) {
                return node;
            }
            if (unhealthy == null && node != tried) {
                unhealthy = node;
            }
        }
        return unhealthy != null || nodes.isEmpty() ? unhealthy : tried;
    }
}
