package io.remora;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.remora.config.AdaptiveConfig;
import io.remora.config.Address;
import io.remora.config.ListenerConfig;
import io.remora.config.ListenerTls;
import io.remora.config.LogComponent;
import io.remora.config.ProxyConfig;
import io.remora.engine.Cluster;
import io.remora.engine.Engine;
import io.remora.exchange.AdaptiveLimit;
import io.remora.exchange.Admission;
import io.remora.exchange.Classifier;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.http.Failure;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.memory.Pressure;
import io.remora.metrics.AdmissionStats;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.route.Router;
import io.remora.takeover.Predecessor;
import io.remora.transport.Acceptor;
import io.remora.transport.Connections;
import io.remora.transport.Listener;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Everything that exchanges pass through: event loops, listeners, and the clusters and snapshots of the configuration
 * that holds now.
 *
 * <p>Thread safe.
 */
final class DataPath {
    private static final long LINGER_MS = 2_500;

    private final Assembly assembly;
    private final Stats stats;
    private final Via via;
    private final @Nullable AccessLog accessLog;
    private final MemoryWatch memory;
    private final Loops loops;
    private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final Engine engine;
    private final Map<String, BoundListener> listeners = new ConcurrentHashMap<>();
    private volatile Clusters clusters = Clusters.none();
    private long generation;
    /** Whether nobody is to be told of the listeners any more. */
    private boolean leaving;

    DataPath(ProxyConfig config, Assembly assembly, MemoryPlan plan, Stats stats, @Nullable AccessLog accessLog)
            throws IOException {
        this.assembly = assembly;
        this.stats = stats;
        this.accessLog = accessLog;
        this.via = new Via(
                config.viaName().equals(ProxyConfig.VIA_AUTO)
                        ? RequestIds.pseudonym(Entropy.seed())
                        : config.viaName());
        this.memory = new MemoryWatch(plan, config.workers());
        this.loops = new Loops(config.workers(), NanoClock.SYSTEM, stats, memory);
        memory.start(loops.all().get(0).eventLoop(), new MemoryRelief());
        assembly.begin(loops.all(), stats, allocator);
        this.engine = assembly.engine(config, stats, allocator);
    }

    // ---- the start

    /**
     * Takes the clusters on and binds the listeners.
     *
     * @throws IOException naming the address that cannot be bound or the cluster that cannot be had
     */
    synchronized void open(ProxyConfig config) throws IOException {
        clusters = clusters.next(config.clusters(), engine, stats);
        generation++;
        List<Map<String, Cluster>> byLoop = new ArrayList<>();
        for (Loop loop : loops.all()) {
            byLoop.add(clusters.on(loop));
        }
        for (ListenerConfig listener : config.listeners()) {
            listen(listener, byLoop);
        }
    }

    /** Begins to accept on the sockets that another process has answered on until now. */
    synchronized void begin(ProxyConfig config) throws IOException {
        for (ListenerConfig listener : config.listeners()) {
            BoundListener bound = listeners.get(listener.name());
            if (bound != null) {
                Address address = listener.address();
                bound.listener().begin(address.isUnix() ? address.host() : null);
            }
        }
    }

    /** The sockets that are listened on, each with its listener's name. */
    synchronized void sockets(List<Predecessor.Socket> into) {
        for (Map.Entry<String, BoundListener> bound : listeners.entrySet()) {
            into.add(new Predecessor.Socket(
                    bound.getKey(), bound.getValue().listener().socket()));
        }
    }

    /** Another process goes on with the listeners when they are closed here. */
    synchronized void handOver() {
        for (BoundListener bound : listeners.values()) {
            bound.listener().handOver();
        }
    }

    /** Has others told of the listeners that are to be known, now that they take requests. */
    synchronized void announce(ProxyConfig config) {
        if (leaving) {
            return;
        }
        Map<ListenerConfig, InetSocketAddress> announced = new HashMap<>();
        for (ListenerConfig listener : config.listeners()) {
            if (listener.announce() != null) {
                announced.put(listener, address(listener.name()));
            }
        }
        if (!announced.isEmpty()) {
            engine.announce(announced);
        }
    }

    private void listen(ListenerConfig listener, List<Map<String, Cluster>> byLoop) throws IOException {
        Admission admission = new Admission();
        adapt(admission, listener);
        Router router = new Router(listener.routes());
        List<Loop> all = loops.all();
        ListenerLoop[] onLoops = new ListenerLoop[all.size()];
        Acceptor.Protocol[] protocols = new Acceptor.Protocol[all.size()];
        for (int i = 0; i < onLoops.length; i++) {
            onLoops[i] = new ListenerLoop(
                    all.get(i),
                    stats.add(new ListenerStats(listener.name(), Failure.labels())),
                    admission,
                    via,
                    accessLog,
                    new RequestIds(System::currentTimeMillis, Entropy.seed()));
            onLoops[i].replace(snapshot(listener, router, byLoop.get(i), onLoops[i], generation));
            protocols[i] = assembly.protocol(onLoops[i]);
        }
        ListenerTls tls = listener.tls();
        long handshakeNs = tls == null ? listener.timeouts().headerReadNs() : tls.handshakeTimeoutNs();
        Acceptor acceptor =
                new Acceptor(assembly.handshake(listener, stats), handshakeNs, all.toArray(new Loop[0]), protocols);
        Listener bound = Listener.bind(listener, loops, allocator, acceptor, assembly.given());
        listeners.put(listener.name(), new BoundListener(bound, admission, List.of(onLoops)));
        InetSocketAddress at = bound.address();
        Log.info(
                LogComponent.LISTENER,
                "listener " + listener.name() + " on "
                        + (at == null ? listener.address() : named(listener.address(), at)));
    }

    private void adapt(Admission admission, ListenerConfig listener) {
        AdaptiveConfig asked = listener.adaptive();
        AdaptiveLimit before = admission.adaptive();
        if (asked == null) {
            admission.adapt(null);
        } else if (before == null || !before.config().equals(asked)) {
            AdmissionStats counts = stats.add(new AdmissionStats(listener.name()));
            admission.adapt(new AdaptiveLimit(asked, counts, NanoClock.SYSTEM.nowNs()));
        }
    }

    private ListenerSnapshot snapshot(
            ListenerConfig listener, Router router, Map<String, Cluster> byName, ListenerLoop onLoop, long number) {
        return new ListenerSnapshot(
                number, listener, router, byName, Classifier.BY_STATUS, assembly.stages(listener, onLoop.requestIds()));
    }

    /**
     * Goes by another configuration from now on: its routes, clusters, limits and timeouts. Exchanges in progress keep
     * the one they began with. Listeners are matched by name; what is bound stays as it is, and so do the workers, the
     * admin listener and the logs.
     *
     * @throws IOException where a cluster cannot be had; nothing has changed then
     */
    synchronized void replace(ProxyConfig next) throws IOException {
        Clusters before = clusters;
        Clusters after = before.next(next.clusters(), engine, stats);
        long number = ++generation;
        List<Router> routers = new ArrayList<>();
        for (ListenerConfig listener : next.listeners()) {
            routers.add(new Router(listener.routes()));
            BoundListener bound = listeners.get(listener.name());
            if (bound != null) {
                adapt(bound.admission(), listener);
            }
        }
        CountDownLatch replaced = new CountDownLatch(loops.all().size());
        for (int i = 0; i < loops.all().size(); i++) {
            int index = i;
            loops.all().get(i).eventLoop().execute(new Runnable() {
                @Override
                public void run() {
                    try {
                        replaceOn(index, next, routers, after, number);
                    } finally {
                        replaced.countDown();
                    }
                }
            });
        }
        clusters = after;
        try {
            replaced.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // no exchange that begins from now on knows them
        before.drainAllBut(after);
    }

    private void replaceOn(int index, ProxyConfig next, List<Router> routers, Clusters after, long number) {
        Map<String, Cluster> byName = after.on(loops.all().get(index));
        for (int i = 0; i < routers.size(); i++) {
            ListenerConfig listener = next.listeners().get(i);
            BoundListener bound = listeners.get(listener.name());
            if (bound != null) {
                ListenerLoop onLoop = bound.onLoops().get(index);
                onLoop.replace(snapshot(listener, routers.get(i), byName, onLoop, number));
            }
        }
    }

    // the host as configured, and the port that a configured 0 became
    static Address named(Address configured, InetSocketAddress bound) {
        return new Address(configured.host(), bound.getPort());
    }

    /** Where a listener is bound. */
    InetSocketAddress address(String listenerName) {
        BoundListener bound = listeners.get(listenerName);
        if (bound == null) {
            throw new IllegalArgumentException("no listener " + listenerName);
        }
        InetSocketAddress at = bound.listener().address();
        if (at == null) {
            throw new IllegalArgumentException("listener " + listenerName + " is on no port");
        }
        return at;
    }

    // ---- the end

    /**
     * Has nobody told of the listeners any more, from which they are to look elsewhere. Returns at once.
     *
     * @param then run once, on any thread, when that is known, or after a second
     */
    synchronized void leave(Runnable then) {
        leaving = true;
        engine.unannounce(then);
    }

    /** Stops accepting; what was accepted stays. Returns when the ports are free. */
    synchronized void closePorts() {
        for (BoundListener bound : listeners.values()) {
            bound.listener().close();
        }
    }

    /**
     * Lets exchanges in progress finish, and cuts what has not finished in time.
     *
     * @param idleNs for how long connections without an exchange may wait for a last one
     */
    synchronized void drain(long timeoutNs, long idleNs) {
        for (BoundListener bound : listeners.values()) {
            for (ListenerLoop onLoop : bound.onLoops()) {
                onLoop.beginDrain();
            }
        }
        for (int i = 0; i < loops.all().size(); i++) {
            EventLoop eventLoop = loops.all().get(i).eventLoop();
            if (idleNs == 0) {
                eventLoop.execute(new Ending(i, false));
            } else {
                eventLoop.schedule(new Ending(i, false), idleNs, TimeUnit.NANOSECONDS);
            }
            eventLoop.schedule(new Ending(i, true), timeoutNs, TimeUnit.NANOSECONDS);
        }
    }

    /** Ends what is in progress; each exchange counts as cut. Returns when that is done. */
    void cut() {
        for (int i = 0; i < loops.all().size(); i++) {
            loops.all().get(i).eventLoop().submit(new Ending(i, true)).awaitUninterruptibly(LINGER_MS);
        }
    }

    MemoryWatch memory() {
        return memory;
    }

    int inFlight() {
        int sum = 0;
        for (BoundListener bound : listeners.values()) {
            sum += bound.admission().inFlight();
        }
        return sum;
    }

    int openConnections() {
        int sum = 0;
        for (BoundListener bound : listeners.values()) {
            sum += bound.listener().open();
        }
        return sum;
    }

    /** Ends at once, without a drain. */
    void close() {
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
        cut();
        assembly.close();
        memory.close();
        loops.shutdown().awaitUninterruptibly(LINGER_MS);
        engine.close();
    }

    /** A listener with what stands behind it on each event loop. */
    private record BoundListener(Listener listener, Admission admission, List<ListenerLoop> onLoops) {}

    /** What is done on each loop where memory is short. */
    private final class MemoryRelief implements MemoryWatch.Relief {
        private volatile boolean paused;

        @Override
        public void relieve(Pressure pressure) {
            boolean pause = pressure.isAtLeast(Pressure.CLOSE);
            if (pause != paused) {
                paused = pause;
                for (BoundListener bound : listeners.values()) {
                    bound.listener().pause(pause);
                }
            }
            for (int i = 0; i < loops.all().size(); i++) {
                int loop = i;
                loops.all().get(i).eventLoop().execute(new Runnable() {
                    @Override
                    public void run() {
                        for (BoundListener bound : listeners.values()) {
                            bound.onLoops().get(loop).relieve(pressure);
                        }
                    }
                });
            }
        }
    }

    /** The end of one loop's connections: each is asked to end after the exchange in progress, or all are cut. */
    private final class Ending implements Runnable {
        private final int loop;
        private final boolean cutting;

        Ending(int loop, boolean cutting) {
            this.loop = loop;
            this.cutting = cutting;
        }

        @Override
        public void run() {
            for (BoundListener bound : listeners.values()) {
                bound.onLoops().get(loop).endIdle();
                Connections connections = bound.onLoops().get(loop).connections();
                if (cutting) {
                    connections.cut();
                } else {
                    connections.drain();
                }
            }
            if (cutting) {
                // backend connections that serve have gone with their client's
                clusters.close();
            }
        }
    }
}
