package io.remora.config.keys;

/** The keys of a route's {@code hedge}, in the order of the page. Loaded only where they are configured. */
public final class HedgeKeys {
    /**
     * The percentile of the route's latencies of late beyond which a request counts as slow. At 95 about one request in twenty is
     * sent twice, and the budget of retries bounds that.
     */
    public static final Key PERCENTILE = Key.count(ListenerKeys.HEDGE, "percentile", 50, 99, 95);

    /** No request is sent a second time earlier, however fast the others are answered. */
    public static final Key MIN_DELAY = Key.durationNs(ListenerKeys.HEDGE, "min-delay", 5_000_000L);

    private HedgeKeys() {}
}
