package io.remora.feature.ratelimit;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The buckets of one rate limit, which all event loops share. Thread safe.
 *
 * <p>Bounds: {@link BucketTable} where it has a bucket for each key.
 */
final class RateLimiter {
    private final RateLimitConfig config;
    private final RateLimitStats stats;
    private final Rate rate;
    /** The one bucket of all; it has no more than one place. */
    private final AtomicLongArray all = new AtomicLongArray(1);
    /** Buckets of keys, without a place where all share one bucket. */
    private final BucketTable table;

    private final long secret0;
    private final long secret1;
    private final long startNs;

    RateLimiter(RateLimitConfig config, RateLimitStats stats, long secret0, long secret1, long startNs) {
        this.config = config;
        this.stats = stats;
        this.secret0 = secret0;
        this.secret1 = secret1;
        this.startNs = startNs;
        this.rate = new Rate(config.requests(), config.perNs(), config.burst());
        this.table = new BucketTable(rate, config.by() == RateLimitConfig.By.ALL ? 0 : config.keys(), stats);
    }

    /** Returns the counts of this limit. */
    RateLimitStats counts() {
        return stats;
    }

    public RateLimitConfig config() {
        return config;
    }

    KeyHash hash() {
        return new KeyHash(secret0, secret1);
    }

    /** Takes one of the tokens of all; tells how long to wait, 0 where it was taken. */
    long take(long nowNs) {
        return counted(rate.take(all, 0, age(nowNs)));
    }

    /** Takes a token of one key; returns how long to wait, 0 where it was taken. */
    long take(long hash, long nowNs) {
        return counted(table.take(hash, age(nowNs)));
    }

    // the turn of a loop may have begun before the limit was made
    private long age(long nowNs) {
        return Math.max(0, nowNs - startNs);
    }

    /** Returns the time until the bucket of all is full, 0 where it is. */
    long fullInNs(long nowNs) {
        return Math.max(0, all.get(0) - age(nowNs));
    }

    /** Returns the time until the bucket of one key is full, 0 where it is. */
    long fullInNs(long hash, long nowNs) {
        return Math.max(0, table.fullNs(hash) - age(nowNs));
    }

    /** Returns the number of requests that pass at once with a bucket that is full in {@code inNs}. */
    long left(long inNs) {
        return rate.left(inNs);
    }

    private long counted(long waitNs) {
        if (waitNs > 0) {
            stats.refused();
        }
        return waitNs;
    }
}
