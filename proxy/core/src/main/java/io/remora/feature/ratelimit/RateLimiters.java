package io.remora.feature.ratelimit;

import io.remora.config.model.ListenerConfig;
import io.remora.feature.Keeper;
import io.remora.metrics.Stats;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rate limits that are in use, by listener and name: a snapshot that asks for one which stays as it was gets the same buckets, so
 * that a reload fills nobody's.
 *
 * <p>Thread safe. Bounds: a limit goes with the last snapshot that has it.
 */
final class RateLimiters implements Keeper.Kept {
    private final Map<String, WeakReference<RateLimiter>> known = new HashMap<>();
    private final Stats stats;
    private final long secret0;
    private final long secret1;

    /**
     * @param secret0 by which keys are hashed, with {@code secret1}: nobody outside may know them
     */
    RateLimiters(Stats stats, long secret0, long secret1) {
        this.stats = stats;
        this.secret0 = secret0;
        this.secret1 = secret1;
    }

    /** The one of this name, a new one where it was another before. */
    synchronized RateLimiter of(String listener, RateLimitConfig config, long nowNs) {
        String key = listener + '\n' + config.name();
        WeakReference<RateLimiter> reference = known.get(key);
        RateLimiter before = reference == null ? null : reference.get();
        if (before != null && before.config().isSameAs(config)) {
            // a listener that was away for a while has had its series ended
            stats.add(before.counts());
            return before;
        }
        forgetThoseThatWent();
        RateLimitStats counts = stats.add(new RateLimitStats(listener, config.name()));
        RateLimiter made = new RateLimiter(config, counts, secret0, secret1, nowNs);
        known.put(key, new WeakReference<>(made));
        return made;
    }

    /** Adds the limiters of a listener and of its routes. */
    void addAll(List<Object> into, ListenerConfig listener, long nowNs) {
        for (RateLimitConfig limit : RateLimits.all(listener)) {
            into.add(of(listener.name(), limit, nowNs));
        }
    }

    /** Ends what is counted for limits that these listeners had, and have no longer. */
    @Override
    public void keepOnly(List<ListenerConfig> listeners) {
        for (ListenerConfig listener : listeners) {
            Set<String> names = new HashSet<>();
            for (RateLimitConfig limit : RateLimits.all(listener)) {
                names.add(limit.name());
            }
            stats.keepOnly(Stats.RATE_LIMITS, listener.name(), names);
        }
    }

    private void forgetThoseThatWent() {
        for (Iterator<WeakReference<RateLimiter>> all = known.values().iterator(); all.hasNext(); ) {
            if (all.next().get() == null) {
                all.remove();
            }
        }
    }
}
