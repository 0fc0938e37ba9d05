package io.remora.transport;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.LatencyRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All deadlines of one event loop, checked at each tick.
 *
 * <p>A timer per connection would cost a queue operation for every request; here a request writes one field, and a tick
 * reads one field per connection. The tick also measures how late the loop runs. If no deadline was set since the
 * previous tick, the next tick is due at the nearest deadline, and there is none without a deadline: an idle sidecar
 * must not cost CPU.
 *
 * <p>Owner: its event loop. Cost: eight bytes of list and one small object per connection. Bounds: a deadline is met at
 * most one resting period late.
 */
public final class Deadlines implements Runnable {
    private static final long MOST_BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Idle connections must cost less than traffic does: each wake-up takes CPU time that all sidecars share. */
    private static final long MOST_RESTING_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Divisor of the shortest deadline: a deadline expires late by at most that part of it. */
    private static final int PARTS = 8;
    /** One of so many parts of an age is left to chance. */
    private static final int AGE_PARTS = 10;

    private final EventLoop loop;
    private final NanoClock clock;
    private final LatencyRecorder lag;
    private final LogThrottle faults = LogThrottle.ofSource();
    private final List<Deadline> deadlines = new ArrayList<>();
    private @Nullable Future<?> nextTick;
    private boolean resting = true;
    private boolean setSinceTick;
    private long nextTickNs;
    private long restingNs = MOST_RESTING_NS;

    Deadlines(EventLoop loop, NanoClock clock, LatencyRecorder lag) {
        this.loop = loop;
        this.clock = clock;
        this.lag = lag;
    }

    /**
     * Returns an age of at most that, less up to a tenth, which is left to chance: connections that began together do not end together.
     */
    public static long jittered(long mostNs) {
        return mostNs - ThreadLocalRandom.current().nextLong(mostNs / AGE_PARTS + 1);
    }

    /** Adds a deadline that is not set yet. It must be cancelled when its owner goes away. */
    public Deadline add(Deadline.Expirable owner) {
        Deadline deadline = new Deadline(this, owner);
        deadline.slot = deadlines.size();
        deadlines.add(deadline);
        return deadline;
    }

    void remove(Deadline deadline) {
        if (deadline.slot < 0) {
            return;
        }
        Deadline last = deadlines.remove(deadlines.size() - 1);
        if (last != deadline) {
            deadlines.set(deadline.slot, last);
            last.slot = deadline.slot;
        }
        deadline.slot = -1;
    }

    /** The time at which a deadline that is set now, for this long, will expire. */
    long after(long afterNs) {
        long nowNs = clock.nowNs();
        setSinceTick = true;
        boolean shorter = afterNs / PARTS < restingNs && restingNs > LEAST_NS;
        if (shorter) {
            restingNs = Math.max(LEAST_NS, afterNs / PARTS);
        }
        if (resting || shorter && nextTickNs - nowNs > busyNs()) {
            resting = false;
            schedule(nowNs, busyNs());
        }
        return nowNs + afterNs;
    }

    /** Returns the time at which a deadline expires that leaves the others' ticks as they are. */
    long once(long afterNs) {
        return once(afterNs, clock.nowNs());
    }

    long once(long afterNs, long nowNs) {
        long periodNs = Math.max(LEAST_NS, Math.min(afterNs, busyNs()));
        setSinceTick = true;
        if (resting || nextTickNs - nowNs > periodNs) {
            resting = false;
            schedule(nowNs, periodNs);
        }
        return nowNs + afterNs;
    }

    // An eighth of the shortest deadline that was ever set, within bounds.
    private long busyNs() {
        return Math.min(restingNs, MOST_BUSY_NS);
    }

    @Override
    public void run() {
        long nowNs = clock.nowNs();
        nextTick = null;
        resting = false;
        lag.record(nowNs - nextTickNs);
        long nearestNs = Deadline.NEVER;
        // Backwards, so that the deadline that takes the place of a removed one has been checked already.
        for (int i = deadlines.size() - 1; i >= 0; i--) {
            if (i < deadlines.size()) {
                Deadline deadline = deadlines.get(i);
                expireIfDue(deadline, nowNs);
                if (deadline.single && deadline.atNs != Deadline.NEVER) {
                    nearestNs = Math.min(nearestNs, deadline.atNs - nowNs);
                }
            }
        }
        if (setSinceTick) {
            setSinceTick = false;
            schedule(nowNs, Math.min(busyNs(), Math.max(LEAST_NS, nearestNs)));
        } else {
            rest(nowNs);
        }
    }

    private void rest(long nowNs) {
        resting = true;
        long nearestNs = Deadline.NEVER;
        for (Deadline deadline : deadlines) {
            if (deadline.atNs != Deadline.NEVER) {
                // At least a whole period, so that deadlines in close succession are met by one tick.
                long leastNs = deadline.single ? LEAST_NS : restingNs;
                nearestNs = Math.min(nearestNs, Math.max(leastNs, deadline.atNs - nowNs));
            }
        }
        if (nearestNs != Deadline.NEVER) {
            schedule(nowNs, nearestNs);
        }
    }

    private void expireIfDue(Deadline deadline, long nowNs) {
        if (deadline.atNs != Deadline.NEVER && deadline.atNs - nowNs <= 0) {
            deadline.clear();
            try {
                deadline.owner.onDeadline();
            } catch (RuntimeException | Error e) {
                // One owner's fault must not stop the deadlines of all others.
                String tail = faults.tail(nowNs);
                if (tail != null) {
                    Log.error("deadline: its task failed; continuing: " + e + tail);
                }
            }
        }
    }

    private void schedule(long nowNs, long periodNs) {
        if (nextTick != null) {
            nextTick.cancel(false);
        }
        nextTickNs = nowNs + periodNs;
        nextTick = loop.schedule(this, periodNs, TimeUnit.NANOSECONDS);
    }
}
