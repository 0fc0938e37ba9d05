package io.remora.cluster;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import org.jspecify.annotations.Nullable;

/**
 * A cluster whose endpoints are where redirected connections were to go.
 *
 * @param destinations known at once on an event loop
 * @param idleNs for which an unused one is kept
 * @param total bounds on the load of all of them together, where each has bounds of its own; null for none; it says
 *     nothing of retries
 */
public record CaptureConfig(
        int destinations, long idleNs, @Nullable BreakerConfig total) implements PlacedOption {
    public static final String NAME = "original-destination";

    /**
     * Maximum number of known destinations per event loop. If all of them are in use, connections to new destinations
     * get 503 {@code too-many-destinations}. This limits connections and metrics.
     */
    public static final ValueKey<Integer> DESTINATIONS =
            Key.count(ClusterKeys.ORIGINAL_DESTINATION, "destinations", 1, 10_000, 1_000);

    /** Time to keep an unused destination with its connections and metrics. */
    public static final ValueKey<Long> IDLE = Key.durationNs(ClusterKeys.ORIGINAL_DESTINATION, "idle", 60_000_000_000L);

    /**
     * Limits on the connections and requests of all destinations together, over all event loops. The {@code breakers}
     * of the cluster apply to each destination, so that a failing destination does not affect the others.
     */
    public static final Key TOTAL = Key.mappingOrOff(ClusterKeys.ORIGINAL_DESTINATION, "total");

    /**
     * Maximum number of connections to all destinations. If the limit is reached, idle connections of the least
     * recently used destination are closed. Otherwise the request gets 503 {@code breaker-connections}.
     */
    public static final ValueKey<Integer> CONNECTIONS = Key.count(TOTAL, "connections", 1, Key.MAX_COUNT, 1_024);

    /** Maximum number of requests that wait for a connection. Further requests get 503 {@code breaker-pending}. */
    public static final ValueKey<Integer> PENDING = Key.count(TOTAL, "pending", 1, Key.MAX_COUNT, 1_024);

    /**
     * Maximum number of concurrent requests to all destinations. Further requests get 503 {@code breaker-in-flight}.
     */
    public static final ValueKey<Integer> IN_FLIGHT = Key.count(TOTAL, "in-flight", 1, Key.MAX_COUNT, 1_024);

    public static final Option<CaptureConfig> CAPTURE = Option.of(NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.number(DESTINATIONS, destinations);
        out.number(IDLE, idleNs);
        if (total == null) {
            out.plain(TOTAL, Key.OFF);
            return;
        }
        out.section(TOTAL);
        out.number(CONNECTIONS, total.connections());
        out.number(PENDING, total.pending());
        out.number(IN_FLIGHT, total.inFlight());
    }
}
