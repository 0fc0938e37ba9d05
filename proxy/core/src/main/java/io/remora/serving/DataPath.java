package io.remora.serving;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Cluster;
import io.remora.engine.Engine;
import io.remora.exchange.ListenerLoop;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.metrics.Counts;
import io.remora.metrics.Stats;
import io.remora.process.Entropy;
import io.remora.takeover.Predecessor;
import io.remora.transport.GivenSockets;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Data path of all exchanges: event loops, listeners, and the clusters and snapshots of the configuration that holds
 * now.
 *
 * <p>Thread safe.
 */
public final class DataPath {
    private static final long LINGER_MS = 2_500;

    private final Shared shared;
    private final MemoryWatch memory;
    private final MemoryRelief relief;
    private final Listeners listeners;
    private final ListenerSetup setup;
    private final Engine engine;
    /** Held by one change of the configuration after the other, before this one's own lock. */
    private final Object replacing = new Object();

    private volatile @Nullable TraceSetup traces;
    /**
     * Tracing of the configuration before, for spans that its exchanges still bring; null where it had none, or the
     * same.
     */
    private volatile @Nullable TraceSetup tracesBefore;

    /** Set once changes of the listeners are announced no longer. */
    private boolean leaving;

    private DataPath(
            Shared shared,
            MemoryWatch memory,
            Listeners listeners,
            MemoryRelief relief,
            ListenerSetup setup,
            Engine engine) {
        this.shared = shared;
        this.memory = memory;
        this.listeners = listeners;
        this.relief = relief;
        this.setup = setup;
        this.engine = engine;
    }

    /**
     * Puts a data path together: each part is complete from what stands above it. Nothing is bound or connected yet.
     *
     * @param files closed with the data path
     * @param given sockets that listeners take instead of binding; null for none
     * @throws IOException where the engine cannot be obtained
     */
    public static DataPath build(
            ProxyConfig config,
            MemoryPlan plan,
            Stats stats,
            @Nullable AccessLog accessLog,
            ProcessFiles files,
            Seams seams,
            @Nullable GivenSockets given)
            throws IOException {
        MemoryWatch memory = new MemoryWatch(plan, config.workers());
        Loops loops = new Loops(config.workers(), NanoClock.SYSTEM, stats, memory);
        Listeners listeners = new Listeners(stats);
        MemoryRelief relief = new MemoryRelief(loops.all(), listeners, stats);
        relief.begin(memory);
        ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        Shared shared = new Shared(loops, stats, allocator, files, Generation.unopened(config));
        Via via = new Via(
                config.viaName().equals(ProxyConfig.VIA_AUTO)
                        ? RequestIds.pseudonym(Entropy.seed())
                        : config.viaName());
        ListenerSetup setup = new ListenerSetup(seams, shared, via, accessLog, given);
        Engine engine = seams.engine(config, shared);
        return new DataPath(shared, memory, listeners, relief, setup, engine);
    }

    // ---- the start

    /**
     * Opens the clusters and binds the listeners, in addition to those that are bound already.
     *
     * @throws IOException naming the address that cannot be bound or the cluster that cannot be obtained
     */
    public synchronized void open(ProxyConfig config) throws IOException {
        Generation before = shared.current();
        Generation opened = before.next(config, engine, shared.stats());
        shared.hold(opened);
        before.drainAllBut(opened);
        traces = traces(config);
        List<Map<String, Cluster>> byLoop = new ArrayList<>();
        for (Loop loop : shared.loops()) {
            byLoop.add(opened.on(loop));
        }
        for (ListenerConfig listener : config.listeners()) {
            listeners.add(setup.open(listener, byLoop, opened.number(), traces));
        }
    }

    /** Has others told of the listeners that are to be known, now that they take requests. */
    public synchronized void announce(ProxyConfig config) {
        if (leaving) {
            return;
        }
        Map<ListenerConfig, InetSocketAddress> announced = new HashMap<>();
        for (ListenerConfig listener : config.listeners()) {
            if (listener.options().has(ListenerConfig.ANNOUNCE)) {
                announced.put(listener, listeners.address(listener.name()));
            }
        }
        if (!announced.isEmpty()) {
            engine.announce(announced);
        }
    }

    private @Nullable TraceSetup traces(ProxyConfig asked) {
        TraceSetup before = traces;
        if (!asked.options().has(ProxyConfig.TRACING)) {
            return null;
        }
        return before != null && before.goesBy(asked) ? before : TraceSetup.of(shared, asked);
    }

    /**
     * Replaces the configuration: its routes, clusters, limits, timeouts and listeners. Exchanges in progress keep the one
     * they began with. The workers, the admin listener and the logs stay as they are.
     *
     * @throws IOException where a cluster cannot be obtained, or an address cannot be bound; nothing has changed then
     */
    public void replace(ProxyConfig next) throws IOException {
        synchronized (replacing) {
            // which looks names up, for as long as that takes; a drain must not wait for it
            replace(shared.current().next(next, engine, shared.stats()));
        }
    }

    /** Has no such change begin while the work is done. */
    public void whileUnchanged(Predecessor.Work work) throws IOException {
        synchronized (replacing) {
            work.run();
        }
    }

    private synchronized void replace(Generation after) throws IOException {
        Generation before = shared.current();
        if (leaving) {
            after.drainAllBut(before);
            throw new IOException("the sidecar is draining");
        }
        ProxyConfig next = after.config();
        Set<Counts<?>> counted = shared.stats().counted();
        TraceSetup tracedBefore = traces;
        TraceSetup traced = traces(next);
        try {
            new ConfigUpdate(shared, setup, listeners, relief, after, traced).apply();
        } finally {
            // what fails when it holds already goes on to hold, and is counted
            if (shared.current() == after) {
                traces = traced;
            } else {
                shared.stats().endAllBut(counted);
            }
        }
        if (tracedBefore != null && tracedBefore != traced) {
            tracedBefore.retire(before, tracesBefore);
            tracesBefore = tracedBefore;
        }
        shared.features().keepOnly(next.listeners());
    }

    public Shared shared() {
        return shared;
    }

    public Listeners listeners() {
        return listeners;
    }

    public MemoryWatch memory() {
        return memory;
    }

    /** Returns the configuration that holds now. */
    public ProxyConfig config() {
        return shared.current().config();
    }

    /** Returns the number of the configuration that holds now, from 1. */
    public long generation() {
        return shared.current().number();
    }

    // ---- the end

    /**
     * Has nobody told of the listeners any more, from which they are to look elsewhere. Returns at once.
     *
     * @param then run once, on any thread, when that is known, or after a second
     */
    public synchronized void leave(Runnable then) {
        leaving = true;
        engine.unannounce(then);
    }

    /** Stops accepting; what was accepted stays. Returns when the ports are free. */
    public synchronized void closePorts(boolean inboundOnly) {
        listeners.closePorts(inboundOnly);
    }

    /**
     * Stops accepting on inbound listeners and drains them, in one step, so that a drain of all listeners comes before or after it.
     *
     * @param begins asked once, under the lock; false does nothing
     * @return whether it began
     */
    public synchronized boolean drainInbound(BooleanSupplier begins, long timeoutNs, long idleNs) {
        boolean began = begins.getAsBoolean();
        if (began) {
            closePorts(true);
            drain(timeoutNs, idleNs, true);
        }
        return began;
    }

    /** Makes each response over HTTP/1 of an inbound listener that begins from now on its connection's last; ports stay open. */
    public synchronized void retireInbound() {
        listeners.retireInbound();
    }

    /**
     * Lets exchanges in progress finish, and cuts what has not finished in time.
     *
     * @param idleNs for how long connections without an exchange may wait for a last one
     * @param inboundOnly true leaves outbound listeners as they are
     */
    public synchronized void drain(long timeoutNs, long idleNs, boolean inboundOnly) {
        listeners.beginDrain(idleNs, inboundOnly);
        for (int i = 0; i < shared.loops().size(); i++) {
            EventLoop eventLoop = shared.loops().get(i).eventLoop();
            eventLoop.execute(new Ending(i, Ending.DRAIN, inboundOnly));
            eventLoop.schedule(new Ending(i, Ending.CUT, inboundOnly), timeoutNs, TimeUnit.NANOSECONDS);
        }
    }

    /** Ends what is in progress; each exchange counts as cut. Returns when that is done. */
    public void cut() {
        await(Ending.CUT);
        await(Ending.CLOSE);
    }

    /** Cuts within {@code mostMs}, for a process that ends at once, even if its loops are busy. */
    public void cutWithin(long mostMs) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
        List<Future<?>> cuts = new ArrayList<>();
        for (int i = 0; i < shared.loops().size(); i++) {
            try {
                cuts.add(shared.loops().get(i).eventLoop().submit(new Ending(i, Ending.CUT, false)));
            } catch (RejectedExecutionException e) {
                // the loop has ended, and its connections with it
            }
        }
        for (Future<?> cut : cuts) {
            cut.awaitUninterruptibly(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    /** Has {@code task} run on a loop after a while, as long as there are loops. */
    public void after(long afterMs, Runnable task) {
        shared.loops().get(0).after(task, TimeUnit.MILLISECONDS.toNanos(afterMs));
    }

    private void await(int step) {
        for (int i = 0; i < shared.loops().size(); i++) {
            shared.loops().get(i).eventLoop().submit(new Ending(i, step, false)).awaitUninterruptibly(LINGER_MS);
        }
    }

    /** Ends at once, without a drain. */
    public void close() {
        CountDownLatch left = new CountDownLatch(1);
        leave(left::countDown);
        try {
            if (!left.await(LINGER_MS, TimeUnit.MILLISECONDS)) {
                Log.warn("announce: no answer before the end; listeners may still be announced");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closePorts(false);
        await(Ending.CUT);
        // what was cut has spans too, and the collector is one of the clusters
        flushTraces();
        await(Ending.CLOSE);
        shared.files().close();
        memory.close();
        shared.group().shutdown().awaitUninterruptibly(LINGER_MS);
        engine.close();
    }

    private void flushTraces() {
        TraceSetup now = traces;
        TraceSetup before = tracesBefore;
        if (now != null) {
            now.flush(before);
        } else if (before != null) {
            before.flush(null);
        }
    }

    private static void cut(ListenerLoop onLoop) {
        onLoop.connections().cut();
        onLoop.cutParts();
    }

    /** A step to the end of one loop's connections. */
    private final class Ending implements Runnable {
        /** Connections of clients each end after a last exchange. */
        static final int DRAIN = 0;
        /** Connections of clients are all cut. */
        static final int CUT = 1;
        /** Connections to endpoints close; the ones that serve have gone with their client's. */
        static final int CLOSE = 2;

        private final int loop;
        private final int step;
        private final boolean inboundOnly;

        Ending(int loop, int step, boolean inboundOnly) {
            this.loop = loop;
            this.step = step;
            this.inboundOnly = inboundOnly;
        }

        @Override
        public void run() {
            if (step == CLOSE) {
                shared.current().close();
                return;
            }
            for (BoundListener bound : listeners.bound().values()) {
                ListenerLoop onLoop = bound.onLoops().get(loop);
                if (!bound.isIn(inboundOnly)) {
                    continue;
                }
                if (step == CUT) {
                    onLoop.endIdle();
                    cut(onLoop);
                } else {
                    onLoop.connections().drain();
                }
            }
            if (step == CUT) {
                for (ListenerDrain one : listeners.retired()) {
                    if (one.listener().isIn(inboundOnly)) {
                        cut(one.listener().onLoops().get(loop));
                    }
                }
            }
        }
    }
}
