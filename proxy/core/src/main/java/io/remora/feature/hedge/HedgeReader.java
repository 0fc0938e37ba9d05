package io.remora.feature.hedge;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Options;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Section;
import java.util.List;

/** Reads and judges a route's {@code hedge}. */
final class HedgeReader {
    private HedgeReader() {}

    /** Reads one, and returns the options with it. */
    static Options read(FeatureSection route, Options options) {
        Section section = route.section.sectionOrOff(HedgeKeys.HEDGE);
        if (section == null) {
            return options;
        }
        HedgeConfig hedge = new HedgeConfig(section.get(HedgeKeys.PERCENTILE), section.get(HedgeKeys.MIN_DELAY));
        section.end();
        return section.node.isBroken() ? options : options.with(HedgeConfig.HEDGE, hedge);
    }

    /** Judges it by the route's timeouts and by its clusters, of which the first that has a flaw tells it. */
    static void judge(RouteConfig route, NamedClusters clusters, String path, List<Flaw> flaws) {
        HedgeConfig hedge = route.options().get(HedgeConfig.HEDGE);
        RoutePolicy policy = route.policy();
        long mostNs = policy == null ? Long.MAX_VALUE : Math.min(policy.totalNs(), policy.tryNs());
        if (hedge != null && hedge.minDelayNs() >= mostNs) {
            String expected = ", expected less than " + HedgeKeys.MIN_DELAY.format(mostNs);
            flaws.add(new Flaw(
                    path + ".min-delay", "min-delay must be shorter than the timeouts of the route" + expected));
        }
        for (RouteConfig one : hedge == null ? List.<RouteConfig>of() : route.each()) {
            ClusterConfig cluster = clusters.get(one.cluster());
            if (cluster != null
                    && !cluster.has(ClusterConfig.RESOLVER)
                    && cluster.endpoints().size() == 1) {
                flaws.add(new Flaw(path, "hedge requires a cluster with more than one endpoint"));
                return;
            }
        }
    }
}
