package io.remora.feature.hedge;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Options;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;
import java.util.Map;

/** Reads and judges a route's {@code hedge}. */
final class HedgeReader {
    private HedgeReader() {}

    /** Reads one, and returns the options with it. */
    static Options read(FeatureSection route, Options options) {
        Section section = route.section.sectionOrOff(HedgeKeys.HEDGE);
        if (section == null) {
            return options;
        }
        HedgeConfig hedge = new HedgeConfig(section.integer(HedgeKeys.PERCENTILE), section.number(HedgeKeys.MIN_DELAY));
        section.end();
        return section.node.isBroken() ? options : options.with(HedgeConfig.HEDGE, hedge);
    }

    /** Judges it by the route's timeouts and by one of its clusters. */
    static void judge(FeatureSection from, RouteConfig route) {
        HedgeConfig hedge = route.options().get(HedgeConfig.HEDGE);
        Node given = from.section.value(HedgeKeys.HEDGE);
        if (hedge == null || given == null) {
            return;
        }
        RoutePolicy policy = route.policy();
        if (policy != null) {
            judgeDelay(hedge, Math.min(policy.totalNs(), policy.tryNs()), from, given);
        }
        Map<String, ClusterConfig> clusters = from.clusters();
        ClusterConfig cluster = clusters == null ? null : clusters.get(route.cluster());
        if (cluster != null
                && !cluster.has(ClusterConfig.RESOLVER)
                && cluster.endpoints().size() == 1) {
            from.problems.at(given, "hedge requires a cluster with more than one endpoint");
        }
    }

    private static void judgeDelay(HedgeConfig hedge, long mostNs, FeatureSection from, Node given) {
        if (hedge.minDelayNs() >= mostNs) {
            Node delay = Section.of(given, HedgeKeys.NAME, from.problems).value(HedgeKeys.MIN_DELAY);
            String why = "min-delay must be shorter than the timeouts of the route, expected less than "
                    + HedgeKeys.MIN_DELAY.format(mostNs);
            from.problems.at(delay == null ? given : delay, why);
        }
    }
}
