package io.remora.feature.ratelimit;

import static io.remora.metrics.Family.counter;

import io.remora.metrics.Family;
import io.remora.metrics.Metric;

/** Counts for each rate limit, one line per family. */
enum RateLimitMetric implements Metric {
    REFUSED(counter("remora_rate_limit_refused_total", "Requests or connections that a rate limit refused.")),
    SHARED(counter("remora_rate_limit_shared_total", "Decisions by a shared bucket because the key table was full."));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    RateLimitMetric(Family family) {
        this.family = family.within("listener", "limit");
    }

    @Override
    public Family family() {
        return family;
    }
}
