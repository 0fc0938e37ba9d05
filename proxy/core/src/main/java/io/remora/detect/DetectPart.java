package io.remora.detect;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;

/** A listener's {@code detect}: its reader. Loaded only where it is configured. */
public final class DetectPart implements FeaturePart {
    @Override
    public Options read(FeatureSection from, Options options) {
        if (!from.isText(ListenerKeys.PROTOCOL.name, DetectConfig.NAME)) {
            String expected = "detect requires protocol: detect";
            from.problems.at(from.section.node(ListenerKeys.DETECT), expected);
            return options;
        }
        Section section = from.section.section(ListenerKeys.DETECT);
        Node cluster = section.requiredText(DetectConfig.CLUSTER, "the name of a cluster");
        long timeoutNs = section.number(DetectConfig.TIMEOUT);
        DetectConfig detect = new DetectConfig(timeoutNs, from.tunnels(cluster, from.owner + "/tcp"));
        section.end();
        return options.with(DetectConfig.DETECT, detect);
    }
}
