package io.remora.feature.ratelimit;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Arithmetic of token buckets of one size. A bucket is one number, the time at which it will be full again. Each token
 * taken puts that off by the time in which a token comes back, and none is left where it would be further off than a
 * whole bucket. A bucket whose time is over is full for any owner. Immutable.
 *
 * <p>Cost: no allocation, no timer. Spec: the virtual scheduling algorithm of ITU-T I.371, with the time of a full
 * bucket instead of that of the next arrival.
 */
final class Rate {
    /** Result instead of a time: there is no token. */
    static final long NONE = -1;

    private final long tokenNs;
    private final long depthNs;

    /**
     * @param requests that come back in {@code perNs}; the time of one is rounded up, so that never more do
     */
    Rate(int requests, long perNs, int burst) {
        this.tokenNs = (perNs + requests - 1) / requests;
        this.depthNs = burst * tokenNs;
    }

    /** Returns when a bucket is full after one more token is taken now; {@link #NONE} where it is empty. */
    long taken(long fullNs, long nowNs) {
        long next = Math.max(fullNs, nowNs) + tokenNs;
        return next - nowNs > depthNs ? NONE : next;
    }

    /** Returns how long an empty bucket needs for its next token. */
    long waitNs(long fullNs, long nowNs) {
        return fullNs + tokenNs - depthNs - nowNs;
    }

    /** Returns the number of tokens in a bucket that is full in {@code inNs}. */
    long left(long inNs) {
        return (depthNs - inNs) / tokenNs;
    }

    /** Takes one from a bucket that nobody else can become the owner of; tells how long to wait, 0 where it was taken. */
    long take(AtomicLongArray buckets, int at, long nowNs) {
        while (true) {
            long before = buckets.get(at);
            long after = taken(before, nowNs);
            if (after == NONE) {
                return waitNs(before, nowNs);
            }
            if (buckets.compareAndSet(at, before, after)) {
                return 0;
            }
        }
    }
}
