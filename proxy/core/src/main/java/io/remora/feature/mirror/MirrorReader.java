package io.remora.feature.mirror;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Section;
import io.remora.text.Ascii;
import java.util.List;

/** Reads a route's {@code mirror}. */
final class MirrorReader {
    private MirrorReader() {}

    /** Reads one, and returns the options with it. */
    static Options read(FeatureSection route, Options options) {
        Section section = route.section.sectionOrOff(MirrorKeys.MIRROR);
        if (section == null) {
            return options;
        }
        MirrorConfig mirror = new MirrorConfig(
                section.clusterName(MirrorKeys.CLUSTER, "the name of a cluster"),
                section.get(MirrorKeys.PERCENT),
                section.get(MirrorKeys.BODY),
                section.get(MirrorKeys.MAX_IN_FLIGHT),
                section.get(MirrorKeys.TIMEOUT));
        section.end();
        return options.with(MirrorConfig.MIRROR, mirror);
    }

    /** A copy goes to one cluster, which exists. */
    static void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        for (int i = 0; i < listener.routes().size(); i++) {
            MirrorConfig mirror = listener.routes().get(i).options().get(MirrorConfig.MIRROR);
            if (mirror == null) {
                continue;
            }
            String place = path + ".routes[" + i + "].mirror.cluster";
            clusters.judge(mirror.cluster(), listener.tcp(), place, flaws);
            ClusterConfig cluster = clusters.get(mirror.cluster());
            if (cluster != null && cluster.has(ClusterConfig.TEMPLATE)) {
                String expected = ", expected one that is none for copies";
                flaws.add(new Flaw(place, "cluster " + Ascii.quote(cluster.name()) + " is a template" + expected));
            }
        }
    }
}
