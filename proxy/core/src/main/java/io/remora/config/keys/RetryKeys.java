package io.remora.config.keys;

/** The keys of a cluster's {@code retries}, in the order of the page. Loaded only where they are configured. */
public final class RetryKeys {
    static final int MAX_BODY_BYTES = 64 << 10;

    /** Attempts at one request, the first included. The budget of the cluster bounds them all together. */
    public static final Key ATTEMPTS = Key.count(ClusterKeys.RETRIES, "attempts", 2, 10, 3);

    /**
     * Statuses from 400 to 599, by default 502, 503 and 504. The response to an idempotent request is dropped in favour of another
     * attempt. A {@code Retry-After} in it is waited for if it ends within the route's {@code timeouts.total}; otherwise the
     * response is passed on.
     */
    public static final Key STATUSES = Key.optional(ClusterKeys.RETRIES, "statuses", "list of statuses");

    /**
     * Statuses of gRPC, such as `unavailable`, by default none. A call is made again whose response is nothing but such a status, before
     * anything of it has gone to the client: who lists a status says that the calls of the route may be sent twice. Listeners that speak
     * HTTP/2 go by it. See [grpc.md](grpc.md#retries).
     */
    public static final Key GRPC = Key.optional(ClusterKeys.RETRIES, "grpc", "list of statuses of gRPC");

    /**
     * What is kept of a body so that it can be sent again; it counts as memory of the request. The request with a larger one is
     * not sent a second time.
     */
    public static final Key BODY =
            new Key(ClusterKeys.RETRIES, "body", null, null, false, Units.SIZE, 0, MAX_BODY_BYTES, MAX_BODY_BYTES);

    /**
     * The longest wait before the second attempt, doubled for each further one up to ten times as much. The wait is a random part
     * of it, so that the requests that failed together do not come back together.
     */
    public static final Key BACK_OFF = Key.durationNs(ClusterKeys.RETRIES, "back-off", 25_000_000L);

    private RetryKeys() {}
}
