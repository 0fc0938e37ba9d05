package io.remora.feature.mirror;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of a route's {@code mirror}, in the order of the page. Loaded only where one is configured. */
public final class MirrorKeys {
    /**
     * Sends copies of requests to another cluster and discards the responses. The original request never waits for its
     * copy. See [routing.md](routing.md#mirrors).
     */
    public static final Key MIRROR = Key.mappingOrOff(ListenerKeys.ROUTES, Mirroring.NAME);

    /** Cluster that receives the copies. */
    public static final Key CLUSTER = Key.required(MIRROR, "cluster", "name of a cluster");

    /** Percentage of the requests of this route to copy. */
    public static final ValueKey<Integer> PERCENT = Key.count(MIRROR, "percent", 1, 100, 100);

    /** Maximum body size of requests that are copied. The copy is buffered until the body is complete. */
    public static final ValueKey<Integer> BODY = Key.bytes(MIRROR, "body", 1, 1 << 20, 64 << 10);

    /**
     * Maximum number of concurrent copies per event loop. If it is reached, requests are not copied, so that a slow
     * mirror has no effect on them.
     */
    public static final ValueKey<Integer> MAX_IN_FLIGHT = Key.count(MIRROR, "max-in-flight", 1, 10_000, 100);

    /** Timeout for a copy, from the last byte of the request to the end of the response. */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(MIRROR, "timeout", 10_000_000_000L);

    private MirrorKeys() {}
}
