package io.remora.detect;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
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

    /** The cluster of connections that carry no requests; it has {@code protocol: tcp}. */
    public static final Key CLUSTER = Key.required(ListenerKeys.DETECT, "cluster", "name of a cluster");

    /**
     * Time from when a connection is ready to the end of its first line. Beyond it, the connection is passed on as it
     * comes. In some protocols the server speaks first: their clients wait for that long.
     */
    public static final Key TIMEOUT = Key.durationNs(ListenerKeys.DETECT, "timeout", 3_000_000_000L);

    public static final Option<DetectConfig> DETECT = Option.of(NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.text(CLUSTER, tunnels.cluster());
        out.number(TIMEOUT, timeoutNs);
    }
}
