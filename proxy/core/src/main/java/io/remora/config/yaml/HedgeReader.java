package io.remora.config.yaml;

import io.remora.config.keys.HedgeKeys;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.HedgeConfig;
import io.remora.config.model.Limits;
import org.jspecify.annotations.Nullable;

/** Reads a route's {@code hedge}. Loaded only where it is configured. */
final class HedgeReader {
    private HedgeReader() {}

    /**
     * @param cluster of the route, null where it does not exist
     * @param mostNs that an attempt may take; {@link Limits#UNLIMITED} for no bound
     */
    static HedgeConfig read(Section section, @Nullable ClusterConfig cluster, long mostNs, Problems problems) {
        HedgeConfig hedge = new HedgeConfig(section.integer(HedgeKeys.PERCENTILE), section.number(HedgeKeys.MIN_DELAY));
        if (hedge.minDelayNs() >= mostNs) {
            Node given = section.value(HedgeKeys.MIN_DELAY);
            String most = HedgeKeys.MIN_DELAY.format(mostNs);
            String why = "min-delay above the route's timeouts, expected less than " + most;
            problems.at(given == null ? section.node : given, why);
        }
        if (cluster != null && cluster.resolver() == null && cluster.endpoints().size() == 1) {
            problems.at(section.node, "hedge with one endpoint, expected a cluster that has another one");
        }
        section.end();
        return hedge;
    }
}
