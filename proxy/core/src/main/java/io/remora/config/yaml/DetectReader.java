package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.DetectKeys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ListenerTlsKeys;
import io.remora.config.model.DetectConfig;
import io.remora.config.model.ListenerTls;
import org.jspecify.annotations.Nullable;

/** Reads a listener's {@code detect}, and refuses the keys that contradict it. Loaded only where it is configured. */
final class DetectReader {
    static final String DETECT = "detect";

    private DetectReader() {}

    static DetectConfig read(Section listener, RouteReader routes, String listenerName, Problems problems) {
        Section section = listener.section(ListenerKeys.DETECT);
        Node cluster = section.requiredText(DetectKeys.CLUSTER, "the name of a cluster");
        DetectConfig detect =
                new DetectConfig(section.number(DetectKeys.TIMEOUT), routes.tunnels(cluster, listenerName + "/tcp"));
        section.end();
        permissive(listener.sectionOrOff(ListenerKeys.TLS), problems);
        return detect;
    }

    private static void permissive(@Nullable Section tls, Problems problems) {
        Node mode = tls == null ? null : tls.value(ListenerTlsKeys.MODE);
        if (mode != null && mode.isText(Choice.lower(ListenerTls.Mode.PERMISSIVE))) {
            String why = "mode: permissive waits for the client to speak first";
            problems.at(mode, why + ", expected strict with protocol: detect");
        }
    }
}
