package io.remora.feature.mirror;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;

/** Reads a route's {@code mirror}. */
final class MirrorReader {
    private MirrorReader() {}

    /** Reads one, and returns the options with it. */
    static Options read(FeatureSection route, Options options) {
        Section section = route.section.sectionOrOff(MirrorKeys.MIRROR);
        if (section == null) {
            return options;
        }
        Node cluster = section.requiredText(MirrorKeys.CLUSTER, "the name of a cluster");
        MirrorConfig mirror = new MirrorConfig(
                cluster == null ? "" : cluster.text,
                section.get(MirrorKeys.PERCENT),
                section.get(MirrorKeys.BODY),
                section.get(MirrorKeys.MAX_IN_FLIGHT),
                section.get(MirrorKeys.TIMEOUT));
        section.end();
        if (cluster != null) {
            judge(cluster, route);
        }
        return options.with(MirrorConfig.MIRROR, mirror);
    }

    /** A copy goes to one cluster, which exists. */
    private static void judge(Node named, FeatureSection route) {
        ClusterConfig cluster = route.cluster(named);
        if (cluster != null && cluster.has(ClusterConfig.TEMPLATE)) {
            String expected = ", expected one that is none for copies";
            route.problems.at(named, "cluster " + named.quoted() + " is a template" + expected);
        }
    }
}
