package io.remora.config;

import org.jspecify.annotations.Nullable;

/**
 * How many requests come through in a time.
 *
 * @param name unique in its listener; the metric label, and what clients are told
 * @param requests in {@code perNs}
 * @param burst that may come at once
 * @param by who shares the requests
 * @param header whose values are the keys, null unless {@code by} is one
 * @param ipv6Prefix bits of an IPv6 address that make a client
 * @param keys that have requests of their own at the same time
 */
public record RateLimitConfig(
        String name,
        int requests,
        long perNs,
        int burst,
        By by,
        @Nullable String header,
        int ipv6Prefix,
        int keys) {
    /** Who shares what is allowed. */
    public enum By {
        ALL,
        CLIENT,
        HEADER
    }
}
