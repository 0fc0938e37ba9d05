package io.remora.detect;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import io.remora.config.model.RouteConfig;

/**
 * The detection of connections that carry no requests, and where they go. Immutable.
 *
 * @param timeoutNs within which a connection shows its protocol
 * @param tunnels the route of connections that are no HTTP
 */
public record DetectConfig(long timeoutNs, RouteConfig tunnels) implements PlacedOption {
    public static final String NAME = "detect";

    /** Cluster for connections that do not carry HTTP. It needs {@code protocol: tcp}. */
    public static final Key CLUSTER = Key.required(ListenerKeys.DETECT, "cluster", "name of a cluster");

    /**
     * Maximum time from when a connection is ready to the end of its first line. After that, the connection is
     * forwarded as TCP. Clients of protocols in which the server sends first wait for this time.
     */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(ListenerKeys.DETECT, "timeout", 3_000_000_000L);

    public static final Option<DetectConfig> DETECT = Option.of(NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.text(CLUSTER, tunnels.cluster());
        out.number(TIMEOUT, timeoutNs);
    }
}
