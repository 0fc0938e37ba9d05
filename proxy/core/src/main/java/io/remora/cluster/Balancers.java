package io.remora.cluster;

import io.remora.balance.Aperture;
import io.remora.balance.Balancer;
import io.remora.balance.Draw;
import io.remora.balance.LeastLoaded;
import io.remora.balance.Maglev;
import io.remora.balance.PeakEwma;
import io.remora.balance.RoundRobin;
import io.remora.balance.SlowStart;
import io.remora.balance.Tiers;
import io.remora.config.model.Limits;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the balancers of one cluster on one event loop; a kind that is not configured loads no class.
 *
 * <p>Owner: the event loop.
 */
final class Balancers implements Supplier<Balancer<EndpointNode>> {
    /** The share of healthy nodes below which load spills, where the configuration does not say. */
    private static final double SPILL_BELOW = 0.7;

    private static final double PERCENT = 100;

    private final @Nullable BalancerConfig config;
    private final Draw draw;

    Balancers(@Nullable BalancerConfig config) {
        this(config, ThreadLocalRandom.current().nextLong());
    }

    Balancers(@Nullable BalancerConfig config, long seed) {
        this.config = config;
        this.draw = new Draw(seed);
    }

    /** The one to begin with. */
    Balancer<EndpointNode> first() {
        return config == null || config.zones().zone().isEmpty() ? get() : tiers();
    }

    /** The one for these nodes: the one so far unless they have priorities. */
    Balancer<EndpointNode> fitting(Balancer<EndpointNode> soFar, List<EndpointNode> nodes) {
        return havePriorities(nodes) && !(soFar instanceof Tiers) ? tiers() : soFar;
    }

    private static boolean havePriorities(List<EndpointNode> nodes) {
        for (int i = 1; i < nodes.size(); i++) {
            if (nodes.get(i).priority() != nodes.get(0).priority()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the hash that decides where a request goes, null where the balancer uses none. */
    @Nullable
    RequestHash hash() {
        return config == null || config.kind() != BalancerConfig.Kind.MAGLEV ? null : new RequestHash(config, draw);
    }

    private Balancer<EndpointNode> tiers() {
        boolean hashes = config != null && config.kind() == BalancerConfig.Kind.MAGLEV;
        if (config == null) {
            return new Tiers<>(this, draw, hashes, SPILL_BELOW, "", 0);
        }
        BalancerConfig.Zones zones = config.zones();
        return new Tiers<>(this, draw, hashes, zones.spillBelow() / PERCENT, zones.zone(), zones.zoneLoad());
    }

    @Override
    public Balancer<EndpointNode> get() {
        return config == null ? new LeastLoaded<>(draw, null) : configured(config);
    }

    private Balancer<EndpointNode> configured(BalancerConfig from) {
        SlowStart slowStart = from.slowStartNs() == Limits.UNLIMITED ? null : new SlowStart(from.slowStartNs());
        return switch (from.kind()) {
            case LEAST_LOADED -> new LeastLoaded<>(draw, slowStart);
            case PEAK_EWMA -> new PeakEwma<>(draw, slowStart, from.decayNs());
            case ROUND_ROBIN -> new RoundRobin<>(draw.next(), slowStart);
            case APERTURE ->
                new Aperture<>(
                        draw,
                        slowStart,
                        offset(from.window()),
                        from.window().peers(),
                        from.window().size());
            case MAGLEV -> new Maglev<>(from.loadBound() / PERCENT, slowStart);
        };
    }

    private double offset(BalancerConfig.Window from) {
        if (from.peers() > 0) {
            return Aperture.offset(from.position(), from.peers());
        }
        return Aperture.offset(from.name().isEmpty() ? Long.toString(draw.next()) : from.name());
    }
}
