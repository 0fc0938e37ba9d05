package io.remora.cluster;

import io.remora.config.AccrualConfig;
import io.remora.config.Limits;
import java.util.Arrays;

/**
 * Counts successes and failures, of the last requests or of a window of time, and says when too few succeed.
 *
 * <p>Not thread safe. Cost: an octet for each of the last requests, or twenty numbers.
 */
final class SuccessRate {
    private static final int SLOTS = 10;
    private static final int PER_CENT = 100;

    private final int percent;
    private final int requests;
    /** Of a slot; 0 where the last requests count, however old. */
    private final long slotNs;
    /** By request, whether it failed; or by slot, requests and failures. */
    private final boolean[] last;

    private final int[] counted = new int[SLOTS];
    private final int[] failed = new int[SLOTS];
    private int at;
    private int all;
    private int failures;
    private long slot = Long.MIN_VALUE;

    SuccessRate(AccrualConfig config) {
        this.percent = config.successPercent();
        this.requests = config.requests();
        this.slotNs = config.windowNs() == Limits.UNLIMITED ? 0 : Math.max(1, config.windowNs() / SLOTS);
        this.last = new boolean[slotNs == 0 ? requests : 0];
    }

    /** Counts one; tells whether too few succeed now. */
    boolean isTooLow(boolean failure, long nowNs) {
        if (slotNs == 0) {
            addToLast(failure);
        } else {
            addToWindow(failure, nowNs);
        }
        return all >= requests && (long) (all - failures) * PER_CENT < (long) percent * all;
    }

    private void addToLast(boolean failure) {
        failures += (failure ? 1 : 0) - (last[at] ? 1 : 0);
        last[at] = failure;
        at = at + 1 == last.length ? 0 : at + 1;
        all = Math.min(all + 1, last.length);
    }

    private void addToWindow(boolean failure, long nowNs) {
        long now = Math.max(slot, Math.floorDiv(nowNs, slotNs));
        long stale = slot == Long.MIN_VALUE ? SLOTS : Math.min(SLOTS, now - slot);
        for (long next = 0; next < stale; next++) {
            int index = (int) Math.floorMod(now - next, (long) SLOTS);
            all -= counted[index];
            failures -= failed[index];
            counted[index] = 0;
            failed[index] = 0;
        }
        slot = now;
        int index = (int) Math.floorMod(now, (long) SLOTS);
        counted[index]++;
        all++;
        if (failure) {
            failed[index]++;
            failures++;
        }
    }

    /** Begins anew. */
    void clear() {
        Arrays.fill(last, false);
        Arrays.fill(counted, 0);
        Arrays.fill(failed, 0);
        at = 0;
        all = 0;
        failures = 0;
    }
}
