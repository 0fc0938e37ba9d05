package io.remora.balance;

import java.util.Comparator;

/** An order of nodes that is the same in each sidecar and has nothing to do with where they are. Immutable. */
final class ByHash implements Comparator<BalancerNode> {
    @Override
    public int compare(BalancerNode one, BalancerNode other) {
        int order = Long.compare(Hash.of(one.name()), Hash.of(other.name()));
        return order != 0 ? order : one.name().compareTo(other.name());
    }
}
