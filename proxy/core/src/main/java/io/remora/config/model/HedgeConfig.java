package io.remora.config.model;

/**
 * When a request that is slow goes to a second endpoint as well.
 *
 * @param percentile of the latencies of late, beyond which a request is slow
 * @param minDelayNs before which none is
 */
public record HedgeConfig(int percentile, long minDelayNs) {
    /** What is kept of a body where the route has no retries that say so. */
    public static final int BODY_BYTES = 64 << 10;
}
