package io.remora.config;

/** The keys of a cluster's {@code original-destination}, in the order of the page. Loaded only for who has them. */
final class CaptureKeys {
    /**
     * Destinations known at once, on each event loop. Where all are in use, a connection to a further one is answered with 503
     * {@code too-many-destinations}; it bounds connections and metrics.
     */
    static final Key DESTINATIONS = Key.count(ClusterKeys.ORIGINAL_DESTINATION, "destinations", 1, 10_000, 1_000);

    /** For how long a destination is known, with its connections and its metrics, that nobody uses. */
    static final Key IDLE = Key.durationNs(ClusterKeys.ORIGINAL_DESTINATION, "idle", 60_000_000_000L);

    private CaptureKeys() {}
}
