package io.remora.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.remora.memory.LoopBudget;
import io.remora.memory.MemoryWatch;
import io.remora.metrics.LoopStats;
import io.remora.metrics.Stats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The data path's event loops. Thread safe. */
public final class Loops {
    private final EventLoopGroup group;
    private final List<Loop> loops = new ArrayList<>();

    /**
     * @param watch that divides the memory among the loops
     */
    public Loops(int count, NanoClock clock, Stats stats, MemoryWatch watch) {
        Handlers handlers = new Handlers(clock);
        group = new MultiThreadIoEventLoopGroup(count, new Threads(), handlers);
        int i = 0;
        for (EventExecutor executor : group) {
            LoopStats loopStats = stats.add(new LoopStats(Integer.toString(i)));
            LoopBudget memory = watch.budget(i, loopStats);
            loops.add(new Loop((EventLoop) executor, handlers.made.get(i), clock, loopStats, memory));
            i++;
        }
    }

    public EventLoopGroup group() {
        return group;
    }

    public List<Loop> all() {
        return loops;
    }

    /** Ends the threads, after they have closed the channels that are still open. */
    public Future<?> shutdown() {
        for (Loop loop : loops) {
            loop.end();
        }
        return group.terminationFuture();
    }

    /** Names the threads in the order of their starts. The kernel shows 15 characters of a name, so it has to be short. */
    private static final class Threads extends DefaultThreadFactory {
        private static final String NAME = "remora-loop";

        private final AtomicInteger started = new AtomicInteger();

        Threads() {
            super(NAME);
        }

        @Override
        protected Thread newThread(Runnable task, String name) {
            return super.newThread(task, NAME + '-' + started.incrementAndGet());
        }
    }

    /** Keeps the handler of each loop, in the order in which the group makes them. */
    private static final class Handlers implements IoHandlerFactory {
        private final IoHandlerFactory nio = NioIoHandler.newFactory();
        private final NanoClock clock;
        private final List<StampingIoHandler> made = new ArrayList<>();

        Handlers(NanoClock clock) {
            this.clock = clock;
        }

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            StampingIoHandler handler = new StampingIoHandler(nio.newHandler(executor), clock);
            made.add(handler);
            return handler;
        }
    }
}
