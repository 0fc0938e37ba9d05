package io.remora.cluster;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;

/**
 * A cluster's {@code original-destination}: its reader, which refuses the keys about endpoints that are known in advance.
 * Loaded only where it is configured.
 */
public final class CapturePart implements FeaturePart {
    private static final Key[] OTHERS = {
        ClusterKeys.ENDPOINTS,
        ClusterKeys.RESOLVER,
        ClusterKeys.DEST,
        ClusterKeys.TEMPLATE,
        ClusterKeys.BALANCER,
        ClusterKeys.ACCRUAL,
        ClusterKeys.HEALTH_CHECK
    };

    @Override
    public Options read(FeatureSection cluster, Options options) {
        Section section = cluster.section.sectionOrOff(ClusterKeys.ORIGINAL_DESTINATION);
        if (section == null) {
            return options;
        }
        for (Key key : OTHERS) {
            Node given = cluster.section.value(key);
            if (given != null && !given.isText(Key.OFF)) {
                cluster.problems.at(given, key.name + " cannot be combined with original-destination");
            }
        }
        Section total = section.sectionOrOff(CaptureConfig.TOTAL);
        CaptureConfig capture = new CaptureConfig(
                section.get(CaptureConfig.DESTINATIONS),
                section.get(CaptureConfig.IDLE),
                total == null ? null : total(total));
        section.end();
        return options.with(CaptureConfig.CAPTURE, capture);
    }

    private static BreakerConfig total(Section section) {
        BreakerConfig total = new BreakerConfig(
                section.get(CaptureConfig.CONNECTIONS),
                section.get(CaptureConfig.PENDING),
                section.get(CaptureConfig.IN_FLIGHT),
                Integer.MAX_VALUE);
        section.end();
        return total;
    }
}
