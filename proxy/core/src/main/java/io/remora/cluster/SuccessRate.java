package io.remora.cluster;

import io.remora.config.model.Limits;
import io.remora.engine.SlidingCounts;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Counts successes and failures, of the last requests or of a window of time, and says when too few succeed.
 *
 * <p>Not thread safe. Cost: an octet for each of the last requests, or twenty numbers.
 */
final class SuccessRate {
    private static final int PER_CENT = 100;

    private final int percent;
    private final int requests;
    /**
     * True for each of the last requests that failed, with the place of the next; empty where a window of time counts.
     */
    private final boolean[] last;

    private int at;
    private int all;
    private int failures;
    /** Requests, and failures. */
    private final @Nullable SlidingCounts window;

    SuccessRate(AccrualConfig config) {
        boolean timed = config.windowNs() != Limits.UNLIMITED;
        this.percent = config.successPercent();
        this.requests = config.requests();
        this.window = timed ? new SlidingCounts(Math.max(1, config.windowNs() / SlidingCounts.SLOTS)) : null;
        this.last = new boolean[timed ? 0 : requests];
    }

    /** Counts one; tells whether too few succeed now. */
    boolean isTooLow(boolean failure, long nowNs) {
        if (window == null) {
            addToLast(failure);
        } else {
            window.advance(nowNs);
            window.add(1, failure ? 1 : 0);
            all = window.first();
            failures = window.second();
        }
        return all >= requests && (long) (all - failures) * PER_CENT < (long) percent * all;
    }

    private void addToLast(boolean failure) {
        failures += (failure ? 1 : 0) - (last[at] ? 1 : 0);
        last[at] = failure;
        at = at + 1 == last.length ? 0 : at + 1;
        all = Math.min(all + 1, last.length);
    }

    /** Starts again from no requests. */
    void clear() {
        Arrays.fill(last, false);
        if (window != null) {
            window.clear();
        }
        at = 0;
        all = 0;
        failures = 0;
    }
}
