package io.remora.feature.hedge;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of a route's {@code hedge}, in the order of the page. Loaded only where a route has one. */
public final class HedgeKeys {
    public static final String NAME = "hedge";

    /**
     * Sends an idempotent request to a second endpoint if the first one responds more slowly than usual. The sidecar
     * forwards the first response, and cancels the other attempt. Hedged attempts use the retry budget of the cluster.
     * Use {@code {}} to enable it with the defaults below. See [resilience.md](resilience.md).
     */
    public static final Key HEDGE = Key.mappingOrOff(ListenerKeys.ROUTES, NAME);

    /**
     * Percentile of recent latencies of the route above which a request is considered slow. At 95, about one request in
     * 20 is sent twice, within the retry budget.
     */
    public static final ValueKey<Integer> PERCENTILE = Key.count(HEDGE, "percentile", 50, 99, 95);

    /** Minimum delay before a request is sent a second time, even if other requests are faster. */
    public static final ValueKey<Long> MIN_DELAY = Key.durationNs(HEDGE, "min-delay", 5_000_000L);

    private HedgeKeys() {}
}
