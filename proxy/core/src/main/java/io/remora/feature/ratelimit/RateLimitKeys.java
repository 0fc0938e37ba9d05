package io.remora.feature.ratelimit;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of {@code rate-limits} and of its items, in the order of the page. Loaded only where they are configured. */
public final class RateLimitKeys {
    static final int MOST_REQUESTS = 1_000_000;

    /**
     * Rate limits for requests, or for connections with {@code protocol: tcp}. Requests above a limit get 429, and
     * connections are reset. Limits apply in order: a request that a later limit rejects still counts for earlier ones.
     * See [limits.md](limits.md).
     */
    public static final Key RATE_LIMITS = Key.optional(ListenerKeys.LISTENERS, RateLimits.NAME, Key.LIST);

    /** Rate limits for the requests of this route, in addition to {@code rate-limits} of the listener. */
    public static final Key ROUTE_RATE_LIMITS = Key.optional(ListenerKeys.ROUTES, RateLimits.NAME, Key.LIST);

    /**
     * Name of the limit in metrics and in responses, unique in the listener and its routes. Defaults to the name of the
     * route, if any, and the position.
     */
    public static final Key NAME = Key.text(RATE_LIMITS, "name", "name", "rate-limit-1");

    /** Number of requests per second or minute: {@code 100/s}, {@code 30/m}. They are spread evenly over the time. */
    public static final Key RATE = Key.required(RATE_LIMITS, "rate", "number, and `/s` or `/m`");

    /**
     * Number of requests that can arrive at once after an idle period. Defaults to the number in {@code rate}: after a
     * whole second or minute without requests, a client can send all of them at once.
     */
    public static final ValueKey<Integer> BURST =
            Key.count(RATE_LIMITS, "burst", "1 to 1000000; by default as in `rate`", 1, MOST_REQUESTS, 1);

    /**
     * Scope of the limit: {@code all} clients together, each {@code client} address as determined by {@code trust} and
     * {@code proxy-protocol}, or each value of a field with {@code header:NAME}. Field values are compared byte for
     * byte, so that different spellings of a credential are different keys. Requests without the field, or with several
     * of them, share one bucket.
     */
    public static final Key BY = Key.text(RATE_LIMITS, "by", "`all`, `client` or `header:NAME`", "all");

    /**
     * Number of bits of an IPv6 address that identify a client, with {@code by: client}. A client with an address in a
     * /64 usually has the whole network, and could otherwise use a bucket for each address.
     */
    public static final ValueKey<Integer> IPV6_PREFIX = Key.count(RATE_LIMITS, "ipv6-prefix", 32, 128, 64);

    /**
     * Maximum number of keys with a separate bucket, with {@code by: client} or {@code header:NAME}. Each takes 33
     * bytes, allocated in advance. A bucket that is full again can be reused. If there is none, further keys share
     * buckets with the same rate.
     */
    public static final ValueKey<Integer> KEYS = Key.count(RATE_LIMITS, "keys", 1, Key.MAX_COUNT, 2_000);

    /**
     * Adds RateLimit and RateLimit-Policy to responses of admitted requests. Rejected requests always get them. See
     * [limits.md](limits.md#what-a-client-is-told).
     */
    public static final Choice<Boolean> TELL_ALWAYS = Key.flag(RATE_LIMITS, "tell-always", false);

    private RateLimitKeys() {}
}
