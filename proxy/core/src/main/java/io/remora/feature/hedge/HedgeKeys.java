package io.remora.feature.hedge;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The keys of a route's {@code hedge}, in the order of the page. Loaded only where a route has one. */
public final class HedgeKeys {
    public static final String NAME = "hedge";

    /**
     * Sends an idempotent request to a second endpoint if the first one has not answered after most others have. The
     * first of the two responses is passed on, and the other attempt is cancelled. Such attempts share the budget of
     * the cluster's retries. {@code {}} switches it on with the defaults below. See [resilience.md](resilience.md).
     */
    public static final Key HEDGE = Key.mappingOrOff(ListenerKeys.ROUTES, NAME);

    /**
     * The percentile of the route's recent latencies beyond which a request counts as slow. At 95 about one request in
     * twenty is sent twice, and the budget of retries bounds that.
     */
    public static final Key PERCENTILE = Key.count(HEDGE, "percentile", 50, 99, 95);

    /** The least time before a request is sent a second time, however fast the others are answered. */
    public static final Key MIN_DELAY = Key.durationNs(HEDGE, "min-delay", 5_000_000L);

    private HedgeKeys() {}
}
