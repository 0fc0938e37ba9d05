package io.remora.serving;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.remora.config.model.Address;
import io.remora.config.model.DetectConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.TracingConfig;
import io.remora.engine.Cluster;
import io.remora.engine.Engine;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.exchange.Stage;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.metrics.Counts;
import io.remora.metrics.Stats;
import io.remora.process.Entropy;
import io.remora.route.Router;
import io.remora.takeover.Predecessor;
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
import org.jspecify.annotations.Nullable;

/**
 * Everything that exchanges pass through: event loops, listeners, and the clusters and snapshots of the configuration
 * that holds now.
 *
 * <p>Thread safe.
 */
public final class DataPath {
    private static final long LINGER_MS = 2_500;

    private final Assembly assembly;
    private final Stats stats;
    private final MemoryWatch memory;
    private final Loops loops;
    private final ListenerSetup setup;
    private final Engine engine;
    /** Held by one change of the configuration after the other, before this one's own lock. */
    private final Object replacing = new Object();

    private final MemoryRelief relief = new MemoryRelief(this);
    private final Listeners listeners;
    private volatile Clusters clusters = Clusters.none();
    private volatile @Nullable TraceSetup traces;
    /** Of the configuration before, for what its exchanges still bring; null where it had none, or the same. */
    private volatile @Nullable TraceSetup tracesBefore;

    private volatile long generation;
    /** Whether nobody is to be told of the listeners any more. */
    private boolean leaving;

    public DataPath(ProxyConfig config, Assembly assembly, MemoryPlan plan, Stats stats, @Nullable AccessLog accessLog)
            throws IOException {
        this.assembly = assembly;
        this.stats = stats;
        this.listeners = new Listeners(stats);
        Via via = new Via(
                config.viaName().equals(ProxyConfig.VIA_AUTO)
                        ? RequestIds.pseudonym(Entropy.seed())
                        : config.viaName());
        this.memory = new MemoryWatch(plan, config.workers());
        this.loops = new Loops(config.workers(), NanoClock.SYSTEM, stats, memory);
        for (int i = 0; i < loops.all().size(); i++) {
            loops.all().get(i).memory().claimsFrom(relief.claimsOn(i));
        }
        memory.start(loops.all().get(0).eventLoop(), relief);
        ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        this.setup = new ListenerSetup(assembly, stats, loops, allocator, via, accessLog);
        assembly.begin(loops.all(), stats, allocator);
        this.engine = assembly.engine(config, stats, allocator);
    }

    // ---- the start

    /**
     * Takes the clusters on and binds the listeners, beside those that are bound already.
     *
     * @throws IOException naming the address that cannot be bound or the cluster that cannot be had
     */
    public synchronized void open(ProxyConfig config) throws IOException {
        Clusters before = clusters;
        clusters = before.next(config.clusters(), engine, stats);
        before.drainAllBut(clusters);
        generation++;
        traces = traces(config.tracing());
        List<Map<String, Cluster>> byLoop = new ArrayList<>();
        for (Loop loop : loops.all()) {
            byLoop.add(clusters.on(loop));
        }
        for (ListenerConfig listener : config.listeners()) {
            listen(listener, byLoop);
        }
    }

    /** Has others told of the listeners that are to be known, now that they take requests. */
    public synchronized void announce(ProxyConfig config) {
        if (leaving) {
            return;
        }
        Map<ListenerConfig, InetSocketAddress> announced = new HashMap<>();
        for (ListenerConfig listener : config.listeners()) {
            if (listener.announce() != null) {
                announced.put(listener, listeners.address(listener.name()));
            }
        }
        if (!announced.isEmpty()) {
            engine.announce(announced);
        }
    }

    private void listen(ListenerConfig listener, List<Map<String, Cluster>> byLoop) throws IOException {
        List<ListenerLoop> onLoops = setup.onLoops(listener, null);
        setup.adapt(onLoops.get(0).admission(), listener);
        Router router = new Router(listener.routes(), listener.path());
        for (int i = 0; i < onLoops.size(); i++) {
            ListenerLoop onLoop = onLoops.get(i);
            onLoop.replace(snapshot(listener, router, byLoop.get(i), onLoop, generation));
        }
        listeners.add(setup.bind(listener, assembly.handshake(listener, stats), onLoops));
    }

    ListenerSnapshot snapshot(
            ListenerConfig listener, Router router, Map<String, Cluster> byName, ListenerLoop onLoop, long number) {
        assembly.features().join(listener, onLoop, stats);
        TraceSetup traced = traces;
        Stage tracing = traced == null || listener.tcp() ? null : traced.stage(onLoop.loop());
        ListenerSnapshot made = new ListenerSnapshot(
                number, listener, router, byName, assembly.stagesWith(listener, onLoop.requestIds(), tracing));
        DetectConfig detect = listener.detect();
        if (detect == null) {
            return made;
        }
        ListenerConfig tunnels = listener.tunnels(detect);
        return made.with(snapshot(tunnels, new Router(tunnels.routes()), byName, onLoop, number));
    }

    private @Nullable TraceSetup traces(@Nullable TracingConfig asked) {
        TraceSetup before = traces;
        if (asked == null) {
            return null;
        }
        return before != null && before.goesBy(asked) ? before : TraceSetup.of(this, asked);
    }

    /**
     * Goes by another configuration from now on: its routes, clusters, limits, timeouts and listeners. Exchanges in progress keep the one
     * they began with. The workers, the admin listener and the logs stay as they are.
     *
     * @throws IOException where a cluster cannot be had, or an address cannot be bound; nothing has changed then
     */
    public void replace(ProxyConfig next) throws IOException {
        synchronized (replacing) {
            // which looks names up, for as long as that takes; a drain must not wait for it
            replace(next, clusters.next(next.clusters(), engine, stats));
        }
    }

    /** Has no such change begin while the work is done. */
    public void whileUnchanged(Predecessor.Work work) throws IOException {
        synchronized (replacing) {
            work.run();
        }
    }

    private synchronized void replace(ProxyConfig next, Clusters after) throws IOException {
        if (leaving) {
            after.drainAllBut(clusters);
            throw new IOException("the sidecar is draining");
        }
        Set<Counts<?>> counted = stats.counted();
        TraceSetup tracedBefore = traces;
        TraceSetup traced = traces(next.tracing());
        traces = traced;
        Clusters held = clusters;
        long number = generation + 1;
        try {
            new Replacement(this, next, after, number).apply();
        } finally {
            // what fails when it holds already goes on to hold, and is counted
            if (generation != number) {
                traces = tracedBefore;
                stats.endAllBut(counted);
            }
        }
        if (tracedBefore != null && tracedBefore != traced) {
            tracedBefore.retire(held, tracesBefore);
            tracesBefore = tracedBefore;
        }
        assembly.goBy(next);
    }

    /** Under this lock, by {@link Replacement} alone: what holds from now on. */
    void hold(Clusters after, long number, Map<String, BoundListener> all, List<Retirement> leavingListeners) {
        clusters = after;
        generation = number;
        listeners.hold(all, leavingListeners);
        relief.meet(all);
    }

    public Assembly assembly() {
        return assembly;
    }

    ListenerSetup setup() {
        return setup;
    }

    Engine engine() {
        return engine;
    }

    Stats stats() {
        return stats;
    }

    public List<Loop> loops() {
        return loops.all();
    }

    Clusters clusters() {
        return clusters;
    }

    public Listeners listeners() {
        return listeners;
    }

    /** Of the configuration that holds now, from 1. */
    public long generation() {
        return generation;
    }

    // the host as configured, and the port that a configured 0 became
    public static Address named(Address configured, InetSocketAddress bound) {
        return new Address(configured.host(), bound.getPort());
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
    public synchronized void closePorts() {
        listeners.closePorts();
    }

    /**
     * Lets exchanges in progress finish, and cuts what has not finished in time.
     *
     * @param idleNs for how long connections without an exchange may wait for a last one
     */
    public synchronized void drain(long timeoutNs, long idleNs) {
        listeners.beginDrain(idleNs);
        for (int i = 0; i < loops.all().size(); i++) {
            EventLoop eventLoop = loops.all().get(i).eventLoop();
            eventLoop.execute(new Ending(i, Ending.DRAIN));
            eventLoop.schedule(new Ending(i, Ending.CUT), timeoutNs, TimeUnit.NANOSECONDS);
        }
    }

    /** Ends what is in progress; each exchange counts as cut. Returns when that is done. */
    public void cut() {
        await(Ending.CUT);
        await(Ending.CLOSE);
    }

    /** The same for as long as {@code mostMs}, for a process that ends at once, even if its loops are busy. */
    public void cutWithin(long mostMs) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
        List<Future<?>> cuts = new ArrayList<>();
        for (int i = 0; i < loops.all().size(); i++) {
            try {
                cuts.add(loops.all().get(i).eventLoop().submit(new Ending(i, Ending.CUT)));
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
        loops.all().get(0).after(task, TimeUnit.MILLISECONDS.toNanos(afterMs));
    }

    private void await(int step) {
        for (int i = 0; i < loops.all().size(); i++) {
            loops.all().get(i).eventLoop().submit(new Ending(i, step)).awaitUninterruptibly(LINGER_MS);
        }
    }

    public MemoryWatch memory() {
        return memory;
    }

    /** Ends at once, without a drain. */
    public void close() {
        CountDownLatch left = new CountDownLatch(1);
        leave(left::countDown);
        try {
            if (!left.await(LINGER_MS, TimeUnit.MILLISECONDS)) {
                Log.warn("it is not known whether listeners are still announced");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closePorts();
        await(Ending.CUT);
        // what was cut has spans too, and the collector is one of the clusters
        flushTraces();
        await(Ending.CLOSE);
        assembly.close();
        memory.close();
        loops.shutdown().awaitUninterruptibly(LINGER_MS);
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
        /** Each of a client is asked to end behind a last exchange. */
        static final int DRAIN = 0;
        /** All of clients are cut. */
        static final int CUT = 1;
        /** Those to endpoints close; the ones that serve have gone with their client's. */
        static final int CLOSE = 2;

        private final int loop;
        private final int step;

        Ending(int loop, int step) {
            this.loop = loop;
            this.step = step;
        }

        @Override
        public void run() {
            if (step == CLOSE) {
                clusters.close();
                return;
            }
            for (BoundListener bound : listeners.bound().values()) {
                ListenerLoop onLoop = bound.onLoops().get(loop);
                if (step == CUT) {
                    onLoop.endIdle();
                    cut(onLoop);
                } else {
                    onLoop.connections().drain();
                }
            }
            if (step == CUT) {
                for (Retirement one : listeners.retired()) {
                    cut(one.listener().onLoops().get(loop));
                }
            }
        }
    }
}
