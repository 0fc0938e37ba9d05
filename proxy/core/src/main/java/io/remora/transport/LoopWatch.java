package io.remora.transport;

import io.remora.log.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The watchdog of the event loops: counts and reports one that does not turn, and knows whether the process is to be restarted for it.
 *
 * <p>A stall is time in which a loop neither turns nor waits for a processor: a restart would not help a process that gets too little
 * of one. Where the watchdog itself is late, the whole process has stood still, and what a loop did meanwhile counts for nothing.
 *
 * <p>Owner: the thread that runs it, once every {@link #PERIOD_NS}; any thread may call {@link #isLive} and {@link #longTurns}. Cost:
 * a number read for each loop, and two small files of the kernel for each that is in a turn.
 */
public final class LoopWatch implements Runnable {
    public static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(2);
    /** The lateness of the watchdog that a process which runs may have. */
    private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int MOST_FRAMES = 24;
    private static final long NS_PER_MS = 1_000_000;

    private final NanoClock clock;
    private final long liveNs;
    private final List<WatchedLoop> all = new ArrayList<>();
    private long ranNs;
    private volatile boolean live = true;

    /**
     * @param liveNs how long a loop may stand still before the process is not live; {@code Limits.UNLIMITED} for ever
     */
    public LoopWatch(List<Loop> loops, NanoClock clock, long liveNs) {
        this(clock, liveNs);
        for (Loop loop : loops) {
            watch(loop.watched());
        }
    }

    LoopWatch(NanoClock clock, long liveNs) {
        this.clock = clock;
        this.liveNs = liveNs;
        this.ranNs = clock.nowNs();
    }

    // before another thread knows this watchdog
    void watch(WatchedLoop loop) {
        loop.number = all.size();
        all.add(loop);
    }

    /** Returns false while a loop has stood still for longer than the bound, as far as that is known for certain. */
    public boolean isLive() {
        return live;
    }

    /** Returns a sampler of turns that last for that time, for any one thread. */
    public LongTurns longTurns(long aboveNs) {
        return new LongTurns(all, aboveNs, clock.nowNs());
    }

    @Override
    public void run() {
        long nowNs = clock.nowNs();
        long sinceNs = nowNs - ranNs;
        boolean onTime = sinceNs >= 0 && sinceNs <= PERIOD_NS + LATE_NS;
        ranNs = nowNs;
        boolean allLive = true;
        for (WatchedLoop one : all) {
            allLive &= isLive(one, nowNs, onTime);
        }
        live = allLive;
    }

    private boolean isLive(WatchedLoop one, long nowNs, boolean onTime) {
        int turns = one.turns();
        boolean waits = (turns & 1) == 1;
        boolean turned = waits || turns != one.turnsSeen;
        one.dead &= !turned;
        if (turned && one.told) {
            one.told = false;
            Log.info("event loop " + one.number + ": responsive again");
        }
        if (turned || !onTime) {
            one.turnsSeen = turns;
            one.sinceNs = nowNs;
            one.since = waits ? null : one.times();
            // a late tick knows nothing new of a loop that is known to stand still
            return !one.dead;
        }
        ThreadTimes now = one.times();
        long stalledNs = stalledNs(nowNs - one.sinceNs, one.since, now);
        if (stalledNs >= STALL_NS && !one.told) {
            one.told = true;
            one.countStall();
            Log.warn(text(one, stalledNs));
        }
        one.dead |= now != null && stalledNs >= liveNs;
        return !one.dead;
    }

    /** The time that no wait for a processor explains. */
    private static long stalledNs(long elapsedNs, @Nullable ThreadTimes since, @Nullable ThreadTimes now) {
        if (since == null || now == null) {
            return elapsedNs;
        }
        // a thread that could run has not had its present wait counted yet
        return now.isRunnable() ? now.ranNs() - since.ranNs() : elapsedNs - (now.waitedNs() - since.waitedNs());
    }

    private static String text(WatchedLoop one, long stalledNs) {
        StringBuilder text = new StringBuilder(1_024);
        text.append("event loop ").append(one.number).append(": stalled for ");
        text.append(stalledNs / NS_PER_MS).append(" ms; its connections wait stack=\"");
        StackTraceElement[] frames = one.stack();
        for (int i = 0; i < frames.length && i < MOST_FRAMES; i++) {
            text.append(i == 0 ? "" : " < ").append(frames[i]);
        }
        return text.append('"').toString();
    }
}
