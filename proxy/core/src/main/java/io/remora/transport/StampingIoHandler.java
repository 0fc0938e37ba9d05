package io.remora.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

/**
 * Netty's NIO handler with a stamp of the moment at which the last select returned.
 *
 * <p>That moment, not the later one at which a channel's turn comes, is when the loop learnt that bytes were readable,
 * so a busy loop counts as time in the proxy. The stamp is taken in {@link #shouldReportActiveIoTime}, which the NIO
 * handler asks once between its select and the first ready channel.
 *
 * <p>Owner: its event loop. Cost: one clock reading a select.
 */
final class StampingIoHandler implements IoHandler, IoHandlerContext {
    private final IoHandler nio;
    private final NanoClock clock;
    private long readyNs;
    private IoHandlerContext context = this;

    StampingIoHandler(IoHandler nio, NanoClock clock) {
        this.nio = nio;
        this.clock = clock;
        this.readyNs = clock.nowNs();
    }

    /** When the last select returned. */
    long readyNs() {
        return readyNs;
    }

    @Override
    public int run(IoHandlerContext loop) {
        context = loop;
        return nio.run(this);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
        readyNs = clock.nowNs();
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
        nio.initialize();
    }

    @Override
    public void prepareToDestroy() {
        nio.prepareToDestroy();
    }

    @Override
    public void destroy() {
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
