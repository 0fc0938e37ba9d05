package io.remora.http2.config;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.http2.config.ClusterHttp2.Spoken;
import io.remora.text.Nearest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of a cluster's {@code protocol} and {@code http2}. Loaded only where they are configured. */
public final class ClusterHttp2Part implements FeaturePart {
    public static final String NAME = "clusters.http2";

    @Override
    public Options read(FeatureSection cluster, Options options) {
        Node given = cluster.section.value(ClusterKeys.PROTOCOL);
        Node protocol = given == null || given.isText(ClusterKeys.PROTOCOL.fallbackText()) ? null : given;
        Node tls = cluster.section.value(ClusterKeys.TLS);
        boolean secured = tls != null && !tls.isText(Key.OFF);
        return options.with(ClusterHttp2.HTTP2, read(cluster.section, protocol, secured, cluster.problems));
    }

    /**
     * Reads the settings of HTTP/2, null where it is not to be used.
     *
     * @param protocol null for HTTP/1.1
     * @param tls whether the cluster has it
     */
    private static @Nullable ClusterHttp2 read(
            Section section, @Nullable Node protocol, boolean tls, Problems problems) {
        Section bounds = section.section(ClusterKeys.HTTP2);
        Spoken spoken = protocol == null ? null : spoken(protocol, tls, problems);
        if (protocol == null) {
            problems.at(bounds.node, "http2 requires protocol: http2, auto or client");
        }
        ClusterHttp2 read = new ClusterHttp2(
                spoken == null ? Spoken.HTTP2 : spoken,
                bounds.get(ClusterHttp2.MAX_STREAMS),
                bounds.get(ClusterHttp2.WINDOW),
                bounds.get(ClusterHttp2.KEEP_ALIVE),
                NeverIndexed.read(bounds, ClusterHttp2.NEVER_INDEXED, problems));
        bounds.end();
        return spoken == null ? null : read;
    }

    private static @Nullable Spoken spoken(Node protocol, boolean tls, Problems problems) {
        List<String> names = new ArrayList<>();
        names.add(ClusterKeys.PROTOCOL.fallbackText());
        for (Spoken one : Spoken.values()) {
            String name = Choice.lower(one);
            if (protocol.isText(name)) {
                return judged(one, protocol, tls, problems);
            }
            names.add(name);
        }
        names.add(ListenerKeys.TCP);
        problems.at(protocol, "protocol is " + protocol.quoted() + ", expected one of " + Nearest.list(names));
        return null;
    }

    private static Spoken judged(Spoken spoken, Node protocol, boolean tls, Problems problems) {
        if (spoken == Spoken.AUTO && !tls) {
            problems.at(protocol, "protocol: auto requires tls, because it uses ALPN");
        }
        return spoken;
    }
}
