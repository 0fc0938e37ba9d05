package io.remora.config.keys;

/** The keys of a cluster's {@code health-check}, in the order of the page. Loaded only where they are configured. */
public final class HealthCheckKeys {
    /** What is asked for by GET; a status from 200 to 399 is success. Without it a connection that opens is. */
    public static final Key PATH = Key.optional(ClusterKeys.HEALTH_CHECK, "path", "path");

    /**
     * The service that gRPC's health service (`grpc.health.v1.Health`) is asked for, `""` for the server as a whole; SERVING is success. In
     * the place of `path`, for clusters with `protocol: http2`. See [grpc.md](grpc.md#health).
     */
    public static final Key GRPC = Key.optional(ClusterKeys.HEALTH_CHECK, "grpc", "name of a service");

    /** The host that is asked for, by default the endpoint's own address. */
    public static final Key HOST = Key.optional(ClusterKeys.HEALTH_CHECK, "host", "host");

    /** From one check to the next, less up to a tenth at random, so that sidecars that began together do not check together. */
    public static final Key INTERVAL = Key.durationNs(ClusterKeys.HEALTH_CHECK, "interval", 10_000_000_000L);

    /** For a whole check; less than {@code interval}. */
    public static final Key TIMEOUT = Key.durationNs(ClusterKeys.HEALTH_CHECK, "timeout", 1_000_000_000L);

    /** Checks in a row that fail before the endpoint is out of use. */
    public static final Key UNHEALTHY = Key.count(ClusterKeys.HEALTH_CHECK, "unhealthy-threshold", 1, 100, 3);

    /** Checks in a row that succeed before the endpoint is back. */
    public static final Key HEALTHY = Key.count(ClusterKeys.HEALTH_CHECK, "healthy-threshold", 1, 100, 2);

    private HealthCheckKeys() {}
}
