package io.remora.feature.ratelimit;

import io.remora.metrics.SharedCounts;
import io.remora.metrics.Stats;

/**
 * Counts of one rate limit on all event loops; requests that pass are not counted.
 *
 * <p>Thread safe: to count takes no lock.
 */
final class RateLimitStats extends SharedCounts<RateLimitMetric> {
    private static final RateLimitMetric[] TABLE = RateLimitMetric.values();
    private static final String[] NONE = {};

    RateLimitStats(String listener, String limit) {
        super(TABLE, new String[] {listener, limit}, NONE);
    }

    @Override
    public String table() {
        return Stats.RATE_LIMITS;
    }

    void refused() {
        incrementShared(RateLimitMetric.REFUSED);
    }

    /** A key had no bucket of its own. */
    void shared() {
        incrementShared(RateLimitMetric.SHARED);
    }
}
