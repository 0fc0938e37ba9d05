package io.remora.config.keys;

/** The keys of a cluster's {@code breakers}, in the order of the page. Loaded only where they are configured. */
public final class BreakerKeys {
    /** Connections to all endpoints on all event loops; a request that would need one more gets 503 {@code breaker-connections}. */
    public static final Key CONNECTIONS = Key.count(ClusterKeys.BREAKERS, "connections", 1, Key.MAX_COUNT, 1_024);

    /** Requests that wait for a connection; one more gets 503 {@code breaker-pending}. */
    public static final Key PENDING = Key.count(ClusterKeys.BREAKERS, "pending", 1, Key.MAX_COUNT, 1_024);

    /** Requests at the cluster; one more gets 503 {@code breaker-in-flight}. */
    public static final Key IN_FLIGHT = Key.count(ClusterKeys.BREAKERS, "in-flight", 1, Key.MAX_COUNT, 1_024);

    /** Retries in flight; beyond it the request fails as it would without retries. */
    public static final Key RETRIES = Key.count(ClusterKeys.BREAKERS, "retries", 1, Key.MAX_COUNT, 64);

    private BreakerKeys() {}
}
