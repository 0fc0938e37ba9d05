package io.remora.transport;

import io.netty.channel.EventLoop;
import io.remora.metrics.LoopStats;

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
    private final LoopStats stats;

    Loop(EventLoop eventLoop, StampingIoHandler io, NanoClock clock, LoopStats stats, long tickNs) {
        this.eventLoop = eventLoop;
        this.io = io;
        this.clock = clock;
        this.stats = stats;
        this.deadlines = new Deadlines(eventLoop, clock, stats.lag, tickNs);
    }

    public EventLoop eventLoop() {
        return eventLoop;
    }

    public Deadlines deadlines() {
        return deadlines;
    }

    public HttpDate date() {
        return date;
    }

    public LoopStats stats() {
        return stats;
    }

    public long nowNs() {
        return clock.nowNs();
    }

    /** When the loop learnt that whatever it is reading now was readable. */
    public long readyNs() {
        return io.readyNs();
    }
}
