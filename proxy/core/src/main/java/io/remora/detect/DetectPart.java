package io.remora.detect;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Section;
import java.util.List;

/** A listener's {@code detect}: its reader and its rule. Loaded only where it is configured. */
public final class DetectPart implements FeaturePart {
    @Override
    public Options read(FeatureSection from, Options options) {
        if (!from.isText(ListenerKeys.PROTOCOL.name, DetectConfig.NAME)) {
            String expected = "detect requires protocol: detect";
            from.problems.at(from.section.node(ListenerKeys.DETECT), expected);
            return options;
        }
        Section section = from.section.section(ListenerKeys.DETECT);
        String cluster = section.clusterName(DetectConfig.CLUSTER, "the name of a cluster");
        RouteConfig tunnels = new RouteConfig(from.owner + "/tcp", RouteMatch.EVERYTHING, cluster);
        long timeoutNs = section.get(DetectConfig.TIMEOUT);
        DetectConfig detect = new DetectConfig(timeoutNs, tunnels);
        section.end();
        return options.with(DetectConfig.DETECT, detect);
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        DetectConfig detect = listener.options().get(DetectConfig.DETECT);
        if (detect != null) {
            clusters.judge(detect.tunnels().cluster(), true, path + ".detect.cluster", flaws);
        }
    }
}
