package io.remora.feature.ratelimit;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;

/** The keys of {@code rate-limits} and of its items, in the order of the page. Loaded only where they are configured. */
public final class RateLimitKeys {
    static final int MOST_REQUESTS = 1_000_000;

    /**
     * How many requests come through in a time; what is beyond it is answered with 429, or, with {@code protocol: tcp}, where they are
     * connections, reset. They are asked in order, and a request that a later one refuses has counted for those before. See
     * [limits.md](limits.md).
     */
    public static final Key RATE_LIMITS = Key.optional(ListenerKeys.LISTENERS, RateLimits.NAME, Key.LIST);

    /** Like the listener's {@code rate-limits}, for the requests of this route, in addition to them. */
    public static final Key ROUTE_RATE_LIMITS = Key.optional(ListenerKeys.ROUTES, RateLimits.NAME, Key.LIST);

    /**
     * The name in metrics and in what clients are told; each limit of a listener and of its routes has its own. By default the name of
     * the route, where it has one, and the position.
     */
    public static final Key NAME = Key.text(RATE_LIMITS, "name", "name", "rate-limit-1");

    /** How many requests come through, in a second or in a minute: {@code 100/s}, {@code 30/m}. They are spread evenly over the time. */
    public static final Key RATE = Key.required(RATE_LIMITS, "rate", "number, and `/s` or `/m`");

    /**
     * How many may come at once after a time without any. By default the number of {@code rate}: who has waited for the whole second
     * or minute may use it at once.
     */
    public static final ValueKey<Integer> BURST =
            Key.count(RATE_LIMITS, "burst", "1 to 1000000; by default as in `rate`", 1, MOST_REQUESTS, 1);

    /**
     * Who shares these requests: {@code all} together, or each {@code client} by its address as {@code trust} and {@code proxy-protocol}
     * tell it, or {@code header:NAME} for each value of a field,
     * octet for octet: credentials that can be spelled in several ways are several keys. Requests without the field, or with several of
     * it, share one bucket.
     */
    public static final Key BY = Key.text(RATE_LIMITS, "by", "`all`, `client` or `header:NAME`", "all");

    /**
     * With {@code by: client}, how many bits of an IPv6 address make a client. Whoever has one address of a /64 usually has all of them,
     * and would have a bucket for each.
     */
    public static final ValueKey<Integer> IPV6_PREFIX = Key.count(RATE_LIMITS, "ipv6-prefix", 32, 128, 64);

    /**
     * With {@code by: client} or {@code header:NAME}, how many keys have a bucket of their own at a time; 33 bytes each, held from the
     * start. A bucket that is full again makes room. Where there is none, further keys share buckets of the same rate.
     */
    public static final ValueKey<Integer> KEYS = Key.count(RATE_LIMITS, "keys", 1, Key.MAX_COUNT, 2_000);

    /**
     * Whether responses of requests that pass say in RateLimit and RateLimit-Policy what is left of the limit. Refusals always do. See
     * [limits.md](limits.md#what-a-client-is-told).
     */
    public static final Choice<Boolean> TELL_ALWAYS = Key.flag(RATE_LIMITS, "tell-always", false);

    private RateLimitKeys() {}
}
