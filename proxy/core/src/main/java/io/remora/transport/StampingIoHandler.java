package io.remora.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.remora.process.ProcFile;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Netty's NIO handler with a stamp of the moment at which the last select returned, which is a clock.
 *
 * <p>That moment, not the later one at which a channel's turn comes, is when the loop learnt that bytes were readable,
 * so a busy loop counts as time in the proxy. The stamp is taken in {@link #shouldReportActiveIoTime}, which the NIO
 * handler asks once between its select and the first ready channel.
 *
 * <p>Owner: its event loop. Cost: one clock reading and two ordered stores a select.
 */
final class StampingIoHandler implements IoHandler, IoHandlerContext, NanoClock {
    private final IoHandler nio;
    private final NanoClock clock;
    private long readyNs;
    /** Odd while the loop waits for something to do, which it does before its first turn. */
    private final AtomicInteger turns = new AtomicInteger(1);

    private volatile long thread = ProcFile.UNKNOWN;
    private IoHandlerContext context = this;

    StampingIoHandler(IoHandler nio, NanoClock clock) {
        this.nio = nio;
        this.clock = clock;
        this.readyNs = clock.nowNs();
    }

    /** Returns the time at which the last select returned. */
    @Override
    public long nowNs() {
        return readyNs;
    }

    /** Moves with each turn; odd while the loop waits for something to do. Any thread. */
    int turns() {
        return turns.get();
    }

    /** The kernel's number of the loop's thread; {@link ProcFile#UNKNOWN} where that is not known. Any thread. */
    long thread() {
        return thread;
    }

    private void waits(boolean now) {
        int last = turns.getPlain();
        boolean waited = (last & 1) == 1;
        turns.lazySet(now == waited ? last + 2 : last + 1);
    }

    @Override
    public int run(IoHandlerContext loop) {
        waits(true);
        context = loop;
        return nio.run(this);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
        readyNs = clock.nowNs();
        waits(false);
        return context.shouldReportActiveIoTime();
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
        context.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean canBlock() {
        return context.canBlock();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
        return context.delayNanos(currentTimeNanos);
    }

    @Override
    public long deadlineNanos() {
        return context.deadlineNanos();
    }

    @Override
    public void initialize() {
        thread = ThreadTimes.callingThread();
        nio.initialize();
    }

    @Override
    public void prepareToDestroy() {
        nio.prepareToDestroy();
    }

    @Override
    public void destroy() {
        waits(true);
        nio.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return nio.register(handle);
    }

    @Override
    public void wakeup() {
        nio.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return nio.isCompatible(handleType);
    }
}
