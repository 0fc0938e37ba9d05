package io.remora.feature.ratelimit;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of {@code rate-limits} and of its items, in the order of the page. Loaded only where they are configured. */
public final class RateLimitKeys {
    static final int MOST_REQUESTS = 1_000_000;

    /**
     * Rate limits for requests, or with {@code protocol: tcp} for connections. A request beyond one gets 429, and a
     * connection a reset. The limits apply in order, and a request that a later one refuses has counted for those
     * before. See [limits.md](limits.md).
     */
    public static final Key RATE_LIMITS = Key.optional(ListenerKeys.LISTENERS, RateLimits.NAME, Key.LIST);

    /** Rate limits as in the listener's {@code rate-limits}, for the requests of this route, in addition to them. */
    public static final Key ROUTE_RATE_LIMITS = Key.optional(ListenerKeys.ROUTES, RateLimits.NAME, Key.LIST);

    /**
     * The name in metrics and in what clients receive. Each limit of a listener and of its routes has its own. By
     * default it is the name of the route, if it has one, and the position.
     */
    public static final Key NAME = Key.text(RATE_LIMITS, "name", "name", "rate-limit-1");

    /**
     * Number of requests that pass in a second or in a minute: {@code 100/s}, {@code 30/m}. They are spread evenly over
     * the time.
     */
    public static final Key RATE = Key.required(RATE_LIMITS, "rate", "number, and `/s` or `/m`");

    /**
     * Number of requests that may come at once after a time without any. By default it is the number of {@code rate}: a
     * client that has waited for the whole second or minute may use it at once.
     */
    public static final ValueKey<Integer> BURST =
            Key.count(RATE_LIMITS, "burst", "1 to 1000000; by default as in `rate`", 1, MOST_REQUESTS, 1);

    /**
     * The clients that share these requests: {@code all} together, each {@code client} by its address as {@code trust}
     * and {@code proxy-protocol} find it, or a field's value. {@code header:NAME} compares each value of the field
     * octet for octet: credentials with several spellings are several keys. Requests without the field, or with several
     * of it, share one bucket.
     */
    public static final Key BY = Key.text(RATE_LIMITS, "by", "`all`, `client` or `header:NAME`", "all");

    /**
     * Bits of an IPv6 address that make a client, with {@code by: client}. A client that has one address of a /64
     * usually has all of them, and would have a bucket for each.
     */
    public static final ValueKey<Integer> IPV6_PREFIX = Key.count(RATE_LIMITS, "ipv6-prefix", 32, 128, 64);

    /**
     * Number of keys with a bucket of their own at a time, with {@code by: client} or {@code header:NAME}. Each takes
     * 33 bytes, held from the start. A bucket that is full again makes room. If there is none, further keys share
     * buckets of the same rate.
     */
    public static final ValueKey<Integer> KEYS = Key.count(RATE_LIMITS, "keys", 1, Key.MAX_COUNT, 2_000);

    /**
     * Reports the rest of the limit in RateLimit and RateLimit-Policy of responses to requests that pass, too. Refusals
     * always do. See [limits.md](limits.md#what-a-client-is-told).
     */
    public static final Choice<Boolean> TELL_ALWAYS = Key.flag(RATE_LIMITS, "tell-always", false);

    private RateLimitKeys() {}
}
