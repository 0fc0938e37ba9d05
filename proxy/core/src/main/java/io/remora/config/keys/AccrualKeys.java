package io.remora.config.keys;

/** The keys of a cluster's {@code accrual}, in the order of the page. Loaded only where they are configured. */
public final class AccrualKeys {
    /** Failures in a row that take an endpoint out of use; 0 for any number. */
    public static final Key CONSECUTIVE = Key.count(ClusterKeys.ACCRUAL, "consecutive-failures", 0, 10_000, 5);

    /** The per cent of its requests that must succeed, or the endpoint is taken out of use; 0 leaves that alone. */
    public static final Key SUCCESS_RATE = Key.count(ClusterKeys.ACCRUAL, "success-rate", 0, 100, 0);

    /** Over how many requests the rate is judged: the last ones, or with {@code window} at least so many within it. */
    public static final Key REQUESTS = Key.count(ClusterKeys.ACCRUAL, "requests", 10, 10_000, 100);

    /** Over how long the rate is judged; {@code off} for the last {@code requests}, however old. */
    public static final Key WINDOW = Key.durationOrOffNs(ClusterKeys.ACCRUAL, "window");

    /**
     * How long an endpoint is out of use the first time. It doubles each further time, until the endpoint has been in use for the
     * longest of these times; up to a quarter is added at random. Then one request tries the endpoint, and brings it back if it
     * succeeds.
     */
    public static final Key BACK_OFF = Key.durationNs(ClusterKeys.ACCRUAL, "back-off", 5_000_000_000L);

    /** The longest time out of use. */
    public static final Key MAX_BACK_OFF = Key.durationNs(ClusterKeys.ACCRUAL, "max-back-off", 300_000_000_000L);

    /** The per cent of the cluster's endpoints that may be out of use for their failures at once. One that has no other never is. */
    public static final Key MAX_EJECTED = Key.count(ClusterKeys.ACCRUAL, "max-ejected", 1, 100, 50);

    private AccrualKeys() {}
}
