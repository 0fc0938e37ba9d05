package io.remora.cluster;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.Option;
import org.jspecify.annotations.Nullable;

/**
 * The way in which a cluster's endpoints are picked, where that is not the default. Immutable.
 *
 * @param slowStartNs over which an endpoint that joins comes to its share; {@link Limits#UNLIMITED} for at once
 * @param decayNs of latencies, for {@code peak-ewma}
 * @param hash the hashed part of a request, for {@code maglev}
 * @param hashName of the header or cookie, null where there is none
 * @param loadBound percent of the mean load, 0 for none; for {@code maglev}
 * @param window for {@code aperture}
 */
public record BalancerConfig(
        Kind kind,
        long slowStartNs,
        long decayNs,
        Hash hash,
        @Nullable String hashName,
        int loadBound,
        Window window,
        Zones zones)
        implements PlacedOption {
    public static final Option<BalancerConfig> BALANCER = Option.of(ClusterConfig.BALANCER.toString());

    /** Returns the balancer of a cluster, null for the default. */
    public static @Nullable BalancerConfig of(ClusterConfig cluster) {
        return cluster.options().get(BALANCER);
    }

    @Override
    public void show(KeyWriter out, Key key) {
        BalancerPart.show(out, this);
    }

    /**
     * The endpoints that this sidecar uses of all.
     *
     * @param size endpoints at least
     * @param peers sidecars among which endpoints are divided, 0 where the number is unknown
     * @param position of this sidecar among them, from 0
     * @param name of this sidecar that says where it stands where no position does, empty for a place by chance
     */
    public record Window(int size, int peers, int position, String name) {}

    /**
     * The order in which zones and priorities serve.
     *
     * @param zone of this sidecar, whose endpoints are preferred; empty for none
     * @param zoneLoad attempts under way at an endpoint of the zone beyond which another zone helps, 0 for any number
     * @param spillBelow percent of healthy endpoints below which the next zone and the next priority help
     */
    public record Zones(String zone, int zoneLoad, int spillBelow) {}

    /** The kind of balancer that picks. */
    public enum Kind {
        LEAST_LOADED("least-loaded"),
        PEAK_EWMA("peak-ewma"),
        ROUND_ROBIN("round-robin"),
        APERTURE("aperture"),
        MAGLEV("maglev");

        public final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    /** The part of a request that is hashed. */
    public enum Hash {
        NONE,
        HEADER,
        COOKIE,
        PATH,
        CLIENT
    }
}
