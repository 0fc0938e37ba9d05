package io.remora.config.keys;

/** The keys of a cluster's {@code original-destination}, in the order of the page. Loaded only where they are configured. */
public final class CaptureKeys {
    /**
     * Destinations known at once, on each event loop. If all are in use, a connection to a further one gets 503 {@code
     * too-many-destinations}. It bounds connections and metrics.
     */
    public static final Key DESTINATIONS =
            Key.count(ClusterKeys.ORIGINAL_DESTINATION, "destinations", 1, 10_000, 1_000);

    /** Time that an unused destination is known, with its connections and its metrics. */
    public static final Key IDLE = Key.durationNs(ClusterKeys.ORIGINAL_DESTINATION, "idle", 60_000_000_000L);

    /**
     * Bounds on the connections and requests of all destinations together at once, over all event loops. The cluster's
     * {@code breakers} bound each destination, so that a dead one refuses nothing to the others.
     */
    public static final Key TOTAL = Key.mappingOrOff(ClusterKeys.ORIGINAL_DESTINATION, "total");

    /**
     * Connections to all destinations. If idle ones fill it, those of the least recently requested destination make
     * room. One more gets 503 {@code breaker-connections}.
     */
    public static final Key CONNECTIONS = Key.count(TOTAL, "connections", 1, Key.MAX_COUNT, 1_024);

    /** Requests that wait for a connection. One more gets 503 {@code breaker-pending}. */
    public static final Key PENDING = Key.count(TOTAL, "pending", 1, Key.MAX_COUNT, 1_024);

    /** Requests at all destinations. One more gets 503 {@code breaker-in-flight}. */
    public static final Key IN_FLIGHT = Key.count(TOTAL, "in-flight", 1, Key.MAX_COUNT, 1_024);

    private CaptureKeys() {}
}
