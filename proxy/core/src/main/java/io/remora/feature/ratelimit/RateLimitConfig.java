package io.remora.feature.ratelimit;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a rate limit: the number of requests that pass in a time.
 *
 * @param name unique in its listener; in the metric's label and in responses
 * @param requests in {@code perNs}
 * @param burst that may come at once
 * @param by who shares the requests
 * @param header whose values are the keys, null unless {@code by} is one
 * @param ipv6Prefix bits of an IPv6 address that make a client
 * @param keys that have requests of their own at the same time
 * @param told whether responses of requests that pass say what is left
 */
public record RateLimitConfig(
        String name,
        int requests,
        long perNs,
        int burst,
        By by,
        @Nullable String header,
        int ipv6Prefix,
        int keys,
        boolean told) {
    /** Creates a limit that only refused clients learn of. */
    public RateLimitConfig(
            String name,
            int requests,
            long perNs,
            int burst,
            By by,
            @Nullable String header,
            int ipv6Prefix,
            int keys) {
        this(name, requests, perNs, burst, by, header, ipv6Prefix, keys, false);
    }

    /** Returns this limit for protocols without a response that could carry its fields. */
    RateLimitConfig untold() {
        return told ? new RateLimitConfig(name, requests, perNs, burst, by, header, ipv6Prefix, keys) : this;
    }

    /** Clients that share the allowed requests. */
    public enum By {
        ALL,
        CLIENT,
        HEADER
    }

    /** Bytes of a set of eight keys: sixteen places of two longs, and a long that the others share. */
    private static final int SET_BYTES = (2 * 16 + 1) * 8;

    private static final int KEYS_A_SET = 8;

    /** Returns the bytes that its table holds for as long as it is in use. */
    public long tableBytes() {
        return by == By.ALL ? 0 : (keys + KEYS_A_SET - 1L) / KEYS_A_SET * SET_BYTES;
    }

    /**
     * Tells if both limits can use the same buckets. The record's own equals would have the JDK link method handles.
     */
    public boolean isSameAs(RateLimitConfig other) {
        return name.equals(other.name)
                && requests == other.requests
                && perNs == other.perNs
                && burst == other.burst
                && by == other.by
                && (header == null ? other.header == null : header.equals(other.header))
                && ipv6Prefix == other.ipv6Prefix
                && keys == other.keys;
    }
}
