package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterHttp2Keys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ClusterHttp2;
import io.remora.config.model.ClusterHttp2.Spoken;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a cluster's {@code protocol} and {@code http2}. Loaded only where they are configured. */
final class ClusterHttp2Reader {
    private final Problems problems;

    ClusterHttp2Reader(Problems problems) {
        this.problems = problems;
    }

    /**
     * Reads the settings of HTTP/2, null where it is not to be used.
     *
     * @param protocol null for HTTP/1.1
     * @param tls whether the cluster has it
     */
    @Nullable
    ClusterHttp2 read(Section section, @Nullable Node protocol, boolean tls) {
        Section bounds = section.section(ClusterKeys.HTTP2);
        Spoken spoken = protocol == null ? null : spoken(protocol, tls);
        if (protocol == null) {
            problems.at(bounds.node, "http2 next to protocol 'http1', expected http2, auto or client there");
        }
        ClusterHttp2 read = new ClusterHttp2(
                spoken == null ? Spoken.HTTP2 : spoken,
                bounds.integer(ClusterHttp2Keys.MAX_STREAMS),
                bounds.integer(ClusterHttp2Keys.WINDOW),
                bounds.number(ClusterHttp2Keys.KEEP_ALIVE));
        bounds.end();
        return spoken == null ? null : read;
    }

    private @Nullable Spoken spoken(Node protocol, boolean tls) {
        List<String> names = new ArrayList<>();
        names.add(ClusterKeys.PROTOCOL.fallbackText());
        for (Spoken one : Spoken.values()) {
            String name = Choice.lower(one);
            if (protocol.isText(name)) {
                return judged(one, protocol, tls);
            }
            names.add(name);
        }
        names.add(ListenerKeys.TCP);
        problems.at(protocol, "protocol is " + protocol.quoted() + ", expected one of " + Nearest.list(names));
        return null;
    }

    private Spoken judged(Spoken spoken, Node protocol, boolean tls) {
        if (spoken == Spoken.AUTO && !tls) {
            problems.at(protocol, "protocol 'auto' without tls, by which the endpoint would say what it speaks");
        }
        return spoken;
    }
}
