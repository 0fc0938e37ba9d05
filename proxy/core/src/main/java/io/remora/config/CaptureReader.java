package io.remora.config;

/** Reads a cluster's {@code original-destination}, and refuses what is about endpoints that are known before. */
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
                problems.at(given, key.name + " beside original-destination, expected one of the two");
            }
        }
        CaptureConfig capture =
                new CaptureConfig(section.integer(CaptureKeys.DESTINATIONS), section.number(CaptureKeys.IDLE));
        section.end();
        return capture;
    }

    /** As the configuration is shown. */
    static void show(ConfigText text, CaptureConfig capture) {
        text.section(ClusterKeys.ORIGINAL_DESTINATION);
        text.number(CaptureKeys.DESTINATIONS, capture.destinations());
        text.number(CaptureKeys.IDLE, capture.idleNs());
    }
}
