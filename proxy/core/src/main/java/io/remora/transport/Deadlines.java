package io.remora.transport;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.remora.log.Log;
import io.remora.metrics.LatencyRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All deadlines of one event loop, looked through at each tick.
 *
 * <p>A timer per connection would cost a queue operation for every request; here a request writes one field, and a tick
 * reads one field per connection. The tick also measures how late the loop runs. After one since which no deadline was set
 * the loop rests until the nearest, and for good where there is none: what rests is to cost nothing.
 *
 * <p>Owner: its event loop. Cost: eight bytes of list and one small object a connection. Bounds: a deadline is met late
 * by one resting period at the most.
 */
public final class Deadlines implements Runnable {
    private static final long MOST_BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Connections that rest must not cost what traffic does: each wake-up takes time of a core that every sidecar shares. */
    private static final long MOST_RESTING_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(5);
    /** A deadline is met late by this part of the shortest one at the most. */
    private static final int PARTS = 8;

    private final EventLoop loop;
    private final NanoClock clock;
    private final LatencyRecorder lag;
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

    /** A deadline that is not set yet; it must be cancelled when its owner goes. */
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

    /** When a deadline falls that is set now. */
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

    // an eighth of the shortest deadline that was ever set, within bounds
    private long busyNs() {
        return Math.min(restingNs, MOST_BUSY_NS);
    }

    @Override
    public void run() {
        long nowNs = clock.nowNs();
        nextTick = null;
        resting = false;
        lag.record(nowNs - nextTickNs);
        // from the end, so that an owner that goes is replaced by one that has been looked at
        for (int i = deadlines.size() - 1; i >= 0; i--) {
            if (i < deadlines.size()) {
                expireIfDue(deadlines.get(i), nowNs);
            }
        }
        if (setSinceTick) {
            setSinceTick = false;
            schedule(nowNs, busyNs());
        } else {
            rest(nowNs);
        }
    }

    private void rest(long nowNs) {
        resting = true;
        long nearestNs = Deadline.NEVER;
        for (Deadline deadline : deadlines) {
            if (deadline.atNs != Deadline.NEVER) {
                nearestNs = Math.min(nearestNs, deadline.atNs - nowNs);
            }
        }
        if (nearestNs != Deadline.NEVER) {
            // at least a whole period, so that many that fall one after the other are met together
            schedule(nowNs, Math.max(nearestNs, restingNs));
        }
    }

    private static void expireIfDue(Deadline deadline, long nowNs) {
        if (deadline.atNs != Deadline.NEVER && deadline.atNs - nowNs <= 0) {
            deadline.clear();
            try {
                deadline.owner.onDeadline();
            } catch (RuntimeException e) {
                // one owner's fault must not end the deadlines of all the others
                Log.error("a deadline failed: " + e);
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
