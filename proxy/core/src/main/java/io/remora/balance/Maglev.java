package io.remora.balance;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks the same node for the same hash, by Maglev's table, unless that node has more than its share of the attempts
 * under way: then the hash leads on to a second node, a third and so on, always in the same order (Mirrokni, Thorup and
 * Zadimoghaddam: Consistent Hashing with Bounded Loads).
 *
 * <p>Owner: one event loop. Cost: O(1) a pick, 128 KiB, and an update fills the table again, by and by where it is
 * prepared. Bounds: no node gets an attempt that would leave it with more than {@code bound} times the mean, rounded
 * up.
 */
public final class Maglev<N extends BalancerNode> implements Balancer<N> {
    /** Beyond so many, all nodes are looked through. */
    private static final int LEADS = 16;

    /**
     * The places that a part of a preparation fills: half a millisecond, or two on a JVM that has not compiled it yet.
     */
    private static final int PLACES = 4_096;

    private final double bound;
    private final @Nullable SlowStart slowStart;
    private List<N> nodes = List.of();
    private Health health = new Health(List.of());
    private @Nullable MaglevTable table;
    private @Nullable Next<N> next;
    /** Attempts under way at all nodes. */
    private long total;

    /**
     * @param bound above 1, 0 for none
     */
    public Maglev(double bound, @Nullable SlowStart slowStart) {
        this.bound = bound;
        this.slowStart = slowStart;
    }

    @Override
    public History history() {
        return new Part();
    }

    @Override
    public boolean prepare(List<N> newNodes) {
        if (next == null || next.from != newNodes) {
            next = new Next<>(newNodes);
        } else if (next.table != null) {
            next.table.fill(PLACES);
        }
        return next.table == null || next.table.isFull();
    }

    @Override
    public void update(List<N> newNodes) {
        while (!prepare(newNodes)) {
            // the rest of it
        }
        Next<N> ready = next;
        next = null;
        if (ready != null) {
            take(ready);
        }
    }

    private void take(Next<N> ready) {
        for (N node : nodes) {
            if (node.history() instanceof Part part && part.whole == this) {
                part.whole = null;
            }
        }
        nodes = ready.nodes;
        health = new Health(nodes);
        table = ready.table;
        total = 0;
        for (N node : nodes) {
            if (node.history() instanceof Part part) {
                part.whole = this;
            }
            total += node.load();
        }
    }

    @Override
    public @Nullable N pick(long hash, long nowNs, @Nullable N tried) {
        if (table == null) {
            return nodes.isEmpty() ? null : nodes.get(0);
        }
        health.look(nowNs);
        N over = null;
        long lead = hash;
        for (int left = LEADS; left > 0; left--) {
            N node = nodes.get(table.at(lead));
            lead = Draw.mix(lead + 1);
            if (node == tried || !node.isHealthy() || !isUp(node, lead, nowNs)) {
                continue;
            }
            if (hasRoom(node)) {
                return node;
            }
            over = over == null ? node : over;
        }
        return anyone(table.at(lead), tried, over);
    }

    private boolean hasRoom(N node) {
        if (bound == 0) {
            return true;
        }
        double share = (double) node.weight() / Math.max(health.healthy(), node.weight());
        return node.load() + 1 <= Math.ceil(bound * (total + 1) * share - 1e-9);
    }

    // the same hash finds a node new or not, so that a key moves to it once
    private boolean isUp(N node, long lead, long nowNs) {
        if (slowStart == null) {
            return true;
        }
        double part = slowStart.part(node, nowNs);
        return part >= 1 || Draw.unit(lead) < part;
    }

    /** A node with room; failing that one that is healthy, and then anyone. */
    private N anyone(int from, @Nullable N tried, @Nullable N over) {
        N unhealthy = null;
        N healthy = over;
        for (int i = 0; i < nodes.size(); i++) {
            N node = nodes.get((from + i) % nodes.size());
            if (node == tried) {
                continue;
            }
            if (!node.isHealthy()) {
                unhealthy = unhealthy == null ? node : unhealthy;
            } else if (hasRoom(node)) {
                return node;
            } else if (healthy == null) {
                healthy = node;
            }
        }
        N last = healthy != null ? healthy : unhealthy;
        return last != null ? last : nodes.get(from);
    }

    /** The nodes and the table that an update switches to. */
    private static final class Next<N extends BalancerNode> {
        final List<N> from;
        final List<N> nodes;
        final @Nullable MaglevTable table;

        Next(List<N> from) {
            this.from = from;
            List<N> inOrder = new ArrayList<>(from);
            inOrder.sort(new ByHash());
            int size = Math.min(inOrder.size(), MaglevTable.MAX_NODES);
            this.nodes = List.copyOf(inOrder.subList(0, size));
            this.table = size < 2 ? null : new MaglevTable(nodes);
        }
    }

    /** Counts a node's attempts in the total that the load bound uses. */
    private static final class Part extends History {
        /** The balancer that counts; null for a node that is no longer there. */
        private @Nullable Maglev<?> whole;

        @Override
        public void began() {
            if (whole != null) {
                whole.total++;
            }
        }

        @Override
        public void ended() {
            if (whole != null) {
                whole.total--;
            }
        }
    }
}
