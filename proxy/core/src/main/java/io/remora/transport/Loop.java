package io.remora.transport;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.memory.LoopBudget;
import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop and what belongs to it.
 *
 * <p>Owner: its thread; nothing here is locked, and an exchange never leaves its loop.
 */
public final class Loop {
    private final EventLoop eventLoop;
    private final StampingIoHandler io;
    private final NanoClock clock;
    private final Deadlines deadlines;
    private final HttpDate date = new HttpDate();
    private final LoopBudget memory;
    private final LoopStats stats;
    /** Handshakes in flight, once a listener has one. */
    private @Nullable Handshakes handshakes;

    private @Nullable LogThrottle faults;
    /** Tasks besides traffic, once there are any. */
    private @Nullable BackgroundTasks tasks;

    Loop(EventLoop eventLoop, StampingIoHandler io, NanoClock clock, LoopStats stats, LoopBudget memory) {
        this.memory = memory;
        this.stats = stats;
        this.eventLoop = eventLoop;
        this.io = io;
        this.clock = clock;
        this.deadlines = new Deadlines(eventLoop, clock, stats.recorder(LoopMetric.LAG));
    }

    public EventLoop eventLoop() {
        return eventLoop;
    }

    /** Closes all channels and ends the thread. Any thread. */
    void end() {
        LoopEnd.of(eventLoop, io);
    }

    public Deadlines deadlines() {
        return deadlines;
    }

    public HttpDate date() {
        return date;
    }

    /** The memory that what happens on this loop may take. */
    public LoopBudget memory() {
        return memory;
    }

    /** Counts a connection that could not be made ready. */
    void connectFailed(ConnectCause cause) {
        stats.increment(LoopMetric.CONNECT_CAUSES, cause.label());
    }

    /** Clients' handshakes that are under way. */
    Handshakes handshakes() {
        if (handshakes == null) {
            handshakes = new Handshakes(memory.handshakes());
        }
        return handshakes;
    }

    /** Tells of a fault, a few times a minute at the most: a client that can cause one can cause many. */
    public void report(String what, Throwable cause) {
        if (faults == null) {
            faults = LogThrottle.ofSource();
        }
        String tail = faults.tail(clock.nowNs());
        if (tail != null) {
            Log.error(what + cause + tail);
        }
    }

    /** Runs {@code task} on this loop {@code afterNs} from now, where a {@link Deadline} would be too coarse. */
    public Future<?> after(Runnable task, long afterNs) {
        return eventLoop.schedule(task, afterNs, TimeUnit.NANOSECONDS);
    }

    /** Runs {@code task} in a later turn of this loop, which is the caller's; not at all once it shuts down. */
    public void later(Runnable task) {
        if (!eventLoop.isShuttingDown()) {
            eventLoop.execute(task);
        }
    }

    /** Runs {@code task} on this loop, at once where this is the loop already; not at all once it shuts down. Any thread. */
    public void execute(Runnable task) {
        if (eventLoop.inEventLoop()) {
            task.run();
        } else if (!eventLoop.isShuttingDown()) {
            eventLoop.execute(task);
        }
    }

    /**
     * Adds a task that runs on this loop a little at a time, after those added before. It does not run once the loop
     * shuts down. Any thread.
     */
    public void background(BackgroundTask task) {
        execute(new Runnable() {
            @Override
            public void run() {
                add(task);
            }
        });
    }

    private void add(BackgroundTask task) {
        if (tasks == null) {
            tasks = new BackgroundTasks(this);
        }
        tasks.add(task);
    }

    /** The watchdog's view of this loop. */
    WatchedLoop watched() {
        return new WatchedLoop() {
            @Override
            int turns() {
                return io.turns();
            }

            @Override
            @Nullable
            ThreadTimes times() {
                return ThreadTimes.read(io.thread());
            }

            @Override
            StackTraceElement[] stack() {
                return eventLoop instanceof SingleThreadEventExecutor executor
                        ? executor.threadProperties().stackTrace()
                        : new StackTraceElement[0];
            }

            @Override
            void countStall() {
                stats.increment(LoopMetric.STALLS);
            }
        };
    }

    public long nowNs() {
        return clock.nowNs();
    }

    /** Returns when the loop learnt that the channel that it reads now was readable. */
    public long readyNs() {
        return io.nowNs();
    }

    /** {@link #readyNs} as a clock, for hot paths that need no time of their own. */
    public NanoClock readyClock() {
        return io;
    }
}
