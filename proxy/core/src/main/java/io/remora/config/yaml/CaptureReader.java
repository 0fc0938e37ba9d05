package io.remora.config.yaml;

import io.remora.config.keys.CaptureKeys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.model.BreakerConfig;
import io.remora.config.model.CaptureConfig;

/** Reads a cluster's {@code original-destination}, and refuses the keys about endpoints that are known in advance. */
final class CaptureReader {
    private static final Key[] OTHERS = {
        ClusterKeys.ENDPOINTS,
        ClusterKeys.RESOLVER,
        ClusterKeys.DEST,
        ClusterKeys.TEMPLATE,
        ClusterKeys.BALANCER,
        ClusterKeys.ACCRUAL,
        ClusterKeys.HEALTH_CHECK
    };

    private CaptureReader() {}

    static CaptureConfig read(Section cluster, Section section, Problems problems) {
        for (Key key : OTHERS) {
            Node given = cluster.value(key);
            if (given != null && !given.isText(Key.OFF)) {
                problems.at(given, key.name + " next to original-destination, expected one of the two");
            }
        }
        Section total = section.sectionOrOff(CaptureKeys.TOTAL);
        CaptureConfig capture = new CaptureConfig(
                section.integer(CaptureKeys.DESTINATIONS),
                section.number(CaptureKeys.IDLE),
                total == null ? null : total(total));
        section.end();
        return capture;
    }

    private static BreakerConfig total(Section section) {
        BreakerConfig total = new BreakerConfig(
                section.integer(CaptureKeys.CONNECTIONS),
                section.integer(CaptureKeys.PENDING),
                section.integer(CaptureKeys.IN_FLIGHT),
                Integer.MAX_VALUE);
        section.end();
        return total;
    }
}
