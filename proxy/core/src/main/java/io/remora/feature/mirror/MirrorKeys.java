package io.remora.feature.mirror;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of a route's {@code mirror}, in the order of the page. Loaded only where one is configured. */
public final class MirrorKeys {
    /**
     * Copies requests to another cluster, whose responses are dropped. The original never waits for its copy. See
     * [routing.md](routing.md#mirrors).
     */
    public static final Key MIRROR = Key.mappingOrOff(ListenerKeys.ROUTES, Mirroring.NAME);

    /** The cluster that gets the copies. */
    public static final Key CLUSTER = Key.required(MIRROR, "cluster", "name of a cluster");

    /** Per cent of the route's requests that are copied. */
    public static final ValueKey<Integer> PERCENT = Key.count(MIRROR, "percent", 1, 100, 100);

    /** Size of the largest body whose request is copied. A copy is kept until all of it is there. */
    public static final ValueKey<Integer> BODY = Key.bytes(MIRROR, "body", 1, 1 << 20, 64 << 10);

    /**
     * Copies under way on each event loop. Beyond it requests are not copied, so that a slow mirror holds nothing up.
     */
    public static final ValueKey<Integer> MAX_IN_FLIGHT = Key.count(MIRROR, "max-in-flight", 1, 10_000, 100);

    /** Time of a copy, from its last octet at the sidecar to the end of its response. */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(MIRROR, "timeout", 10_000_000_000L);

    private MirrorKeys() {}
}
