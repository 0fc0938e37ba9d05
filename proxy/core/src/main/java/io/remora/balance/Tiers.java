package io.remora.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Divides the nodes into tiers, with a balancer for each: those of the lowest priority first, and in each priority those
 * of the sidecar's own zone. A tier takes all requests as long as enough of it is healthy; below that, what is missing
 * of the threshold goes on to the next tier, in proportion, so that no tier gets everything at once.
 *
 * <p>Owner: one event loop. Cost: a pick is the one of a tier's balancer, and health is looked at every tenth of a second.
 */
public final class Tiers<N extends BalancerNode> implements Balancer<N> {
    private final Supplier<Balancer<N>> maker;
    private final Draw draw;
    private final boolean hashes;
    private final double threshold;
    private final String zone;
    private final int zoneLoad;
    private List<Tier<N>> tiers = List.of();
    private @Nullable Next<N> next;

    /**
     * @param maker that makes the balancer of a tier
     * @param hashes whether the same hash is to lead to the same tier
     * @param threshold the healthy share, above 0 and up to 1, with which a tier takes all requests
     * @param zone the sidecar's own, empty where zones do not matter
     * @param zoneLoad an endpoint of the own zone that has so many attempts under way gets no more as long as another
     *     zone has a healthy one; 0 for no bound
     */
    public Tiers(Supplier<Balancer<N>> maker, Draw draw, boolean hashes, double threshold, String zone, int zoneLoad) {
        this.maker = maker;
        this.draw = draw;
        this.hashes = hashes;
        this.threshold = threshold;
        this.zone = zone;
        this.zoneLoad = zoneLoad;
    }

    @Override
    public @Nullable History history() {
        return maker.get().history();
    }

    @Override
    public boolean prepare(List<N> newNodes) {
        if (next == null || next.from != newNodes) {
            next = new Next<>(newNodes, divided(newNodes));
        }
        for (Tier<N> tier : next.tiers) {
            if (tier.balancer != null && !tier.balancer.prepare(tier.nodes)) {
                return false;
            }
        }
        return true;
    }

    private List<Tier<N>> divided(List<N> nodes) {
        List<Tier<N>> divided = new ArrayList<>();
        for (N node : nodes) {
            tier(divided, node.priority(), isNear(node)).nodes.add(node);
        }
        for (Tier<N> tier : divided) {
            tier.balancer = balancer(tiers, tier);
        }
        return divided;
    }

    @Override
    public void update(List<N> newNodes) {
        List<Tier<N>> after = next != null && next.from == newNodes ? next.tiers : divided(newNodes);
        next = null;
        for (Tier<N> tier : after) {
            tier.settle();
        }
        for (Tier<N> gone : tiers) {
            if (gone.balancer != null && !isIn(after, gone.balancer)) {
                gone.balancer.update(List.of());
            }
        }
        tiers = after;
    }

    private boolean isNear(N node) {
        return !zone.isEmpty() && zone.equals(node.zone());
    }

    /** Returns the tier of that priority and nearness, and inserts it where there is none yet. */
    private static <N extends BalancerNode> Tier<N> tier(List<Tier<N>> tiers, int priority, boolean near) {
        int at = 0;
        while (at < tiers.size() && tiers.get(at).isBefore(priority, near)) {
            at++;
        }
        if (at == tiers.size() || !tiers.get(at).is(priority, near)) {
            tiers.add(at, new Tier<>(priority, near));
        }
        return tiers.get(at);
    }

    private Balancer<N> balancer(List<Tier<N>> before, Tier<N> tier) {
        for (Tier<N> known : before) {
            if (known.balancer != null && known.is(tier.priority, tier.near)) {
                return known.balancer;
            }
        }
        return maker.get();
    }

    private static <N extends BalancerNode> boolean isIn(List<Tier<N>> tiers, Balancer<N> balancer) {
        for (Tier<N> tier : tiers) {
            if (tier.balancer == balancer) {
                return true;
            }
        }
        return false;
    }

    @Override
    public @Nullable N pick(long hash, long nowNs, @Nullable N tried) {
        if (tiers.isEmpty()) {
            return null;
        }
        look(nowNs);
        double place = hashes ? Draw.unit(Draw.mix(hash)) : draw.unit();
        int index = 0;
        while (index + 1 < tiers.size() && place >= tiers.get(index).part) {
            place -= tiers.get(index).part;
            index++;
        }
        Tier<N> tier = tiers.get(index);
        N node = tier.pick(hash, nowNs, tried);
        boolean full = tier.near && zoneLoad > 0 && node != null && node.load() >= zoneLoad;
        if (node != null && node != tried && node.isHealthy() && !full) {
            return node;
        }
        N other = elsewhere(index, hash, nowNs, tried);
        return other != null ? other : node;
    }

    /** A healthy one of the tiers behind, or else of those before. */
    private @Nullable N elsewhere(int besides, long hash, long nowNs, @Nullable N tried) {
        for (int i = 1; i < tiers.size(); i++) {
            N node = tiers.get((besides + i) % tiers.size()).pick(hash, nowNs, tried);
            if (node != null && node != tried && node.isHealthy()) {
                return node;
            }
        }
        return null;
    }

    private void look(long nowNs) {
        boolean anew = false;
        for (int i = 0; i < tiers.size(); i++) {
            anew |= tiers.get(i).health.look(nowNs);
        }
        if (anew) {
            divide();
        }
    }

    private void divide() {
        double left = 1;
        for (Tier<N> tier : tiers) {
            tier.part = left * Math.min(1, tier.health.share() / threshold);
            left -= tier.part;
        }
        // all tiers together are short of health: each gets more than it should
        for (Tier<N> tier : tiers) {
            tier.part = left >= 1 ? 0 : tier.part / (1 - left);
        }
        if (left >= 1) {
            tiers.get(0).part = 1;
        }
    }

    /** The nodes and the tiers that an update switches to. */
    private static final class Next<N extends BalancerNode> {
        final List<N> from;
        final List<Tier<N>> tiers;

        Next(List<N> from, List<Tier<N>> tiers) {
            this.from = from;
            this.tiers = tiers;
        }
    }

    private static final class Tier<N extends BalancerNode> {
        private final int priority;
        private final boolean near;
        private final List<N> nodes = new ArrayList<>();
        private @Nullable Balancer<N> balancer;
        private Health health = new Health(List.of());
        /** The tier's share of the requests. */
        private double part;

        Tier(int priority, boolean near) {
            this.priority = priority;
            this.near = near;
        }

        boolean is(int otherPriority, boolean otherNear) {
            return priority == otherPriority && near == otherNear;
        }

        boolean isBefore(int otherPriority, boolean otherNear) {
            return priority < otherPriority || priority == otherPriority && near && !otherNear;
        }

        void settle() {
            health = new Health(nodes);
            if (balancer != null) {
                balancer.update(nodes);
            }
        }

        @Nullable
        N pick(long hash, long nowNs, @Nullable N tried) {
            return balancer == null ? null : balancer.pick(hash, nowNs, tried);
        }
    }
}
