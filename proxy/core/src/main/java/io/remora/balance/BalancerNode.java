package io.remora.balance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An endpoint as a balancer sees it. Owner: one event loop. */
public interface BalancerNode {
    /** Returns the name that is hashed; unique, and the same in each sidecar. */
    String name();

    /** Returns the attempts under way or waiting. */
    int load();

    /** True if it may be picked while another node can be. */
    boolean isHealthy();

    /** Returns its share of the requests relative to the others', 1 or more. */
    int weight();

    /** Returns its zone, empty where none is known. */
    String zone();

    /** The priority; nodes with the lowest number come first. */
    int priority();

    /** Returns the time since when it can be picked; long ago for nodes that were there from the start. */
    long joinedNs();

    /** Returns the history that the node keeps for its balancer. */
    @Nullable
    History history();

    /** Returns whether all of these weigh the same. */
    static boolean weighAlike(List<? extends BalancerNode> nodes) {
        for (int i = 1; i < nodes.size(); i++) {
            if (nodes.get(i).weight() != nodes.get(0).weight()) {
                return false;
            }
        }
        return true;
    }
}
