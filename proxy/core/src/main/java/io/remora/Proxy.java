package io.remora;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.admin.AdminServer;
import io.remora.admin.ProxyControl;
import io.remora.config.Address;
import io.remora.config.ClusterConfig;
import io.remora.config.ListenerConfig;
import io.remora.config.ProxyConfig;
import io.remora.exchange.Admission;
import io.remora.exchange.Backend;
import io.remora.exchange.ListenerContext;
import io.remora.http.Failure;
import io.remora.http.Forwarding;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.http1.BackendFactory;
import io.remora.http1.FrontendInitializer;
import io.remora.log.AccessLog;
import io.remora.log.FileAccessLog;
import io.remora.log.Log;
import io.remora.log.NettyLogging;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.naming.Endpoint;
import io.remora.naming.StaticNaming;
import io.remora.pool.Cluster;
import io.remora.route.Router;
import io.remora.transport.Drains;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The composition root: every stage, in the order of a request, put together from one configuration.
 *
 * <p>Thread safe.
 */
public final class Proxy implements ProxyControl, AutoCloseable {
    private static final long POLL_MS = 5;
    private static final long LINGER_MS = 2_500;

    private final ProxyConfig config;
    private final Stats stats = new Stats();
    private final String viaName;
    private final Loops loops;
    private final Map<String, Listener> listeners = new HashMap<>();
    private final List<Admission> admissions = new ArrayList<>();
    private final CountDownLatch shutdown;
    private @Nullable AccessLog accessLog;
    private @Nullable AdminServer admin;
    private volatile boolean listening;
    private volatile boolean draining;

    private Proxy(ProxyConfig config, CountDownLatch shutdown) {
        this.config = config;
        this.shutdown = shutdown;
        this.viaName =
                config.viaName().equals(ProxyConfig.VIA_AUTO) ? RequestIds.pseudonym(Entropy.seed()) : config.viaName();
        this.loops = new Loops(config.workers(), NanoClock.SYSTEM, stats, Ticks.of(config), MemoryNeed.held());
    }

    /**
     * Starts everything, or nothing.
     *
     * @throws IOException naming the address that cannot be bound, the name not resolved or the access log not opened
     */
    public static Proxy start(ProxyConfig config) throws IOException {
        return start(config, new CountDownLatch(1));
    }

    /** The same; whoever counts {@code shutdown} down asks for the end, as {@link #shutdown()} does. */
    static Proxy start(ProxyConfig config, CountDownLatch shutdown) throws IOException {
        NettyLogging.install();
        Log.level(config.logLevel());
        Proxy proxy = new Proxy(config, shutdown);
        try {
            proxy.open();
        } catch (IOException | RuntimeException e) {
            proxy.close();
            throw e;
        }
        return proxy;
    }

    private void open() throws IOException {
        Launch.log();
        if (config.accessLog() != null) {
            accessLog = FileAccessLog.open(config.accessLog());
        }
        // first, so that an orchestrator can tell "not ready yet" from "not there"
        AdminServer server = AdminServer.start(this);
        admin = server;
        Map<String, List<Endpoint>> endpoints = new HashMap<>();
        for (ClusterConfig cluster : config.clusters().values()) {
            endpoints.put(cluster.name(), StaticNaming.resolve(cluster));
        }
        ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        List<Map<String, Cluster<Backend>>> clusters = new ArrayList<>();
        for (Loop loop : loops.all()) {
            clusters.add(clusters(loop, endpoints, allocator));
        }
        for (ListenerConfig listener : config.listeners()) {
            listen(listener, clusters, allocator);
        }
        MemoryNeed.warnIfAbove(config, Runtime.getRuntime().maxMemory());
        listening = true;
        Log.info("ready; admin on " + named(config.admin().address(), server.address()));
    }

    private Map<String, Cluster<Backend>> clusters(
            Loop loop, Map<String, List<Endpoint>> endpoints, ByteBufAllocator allocator) {
        Map<String, Cluster<Backend>> clusters = new HashMap<>();
        for (ClusterConfig cluster : config.clusters().values()) {
            clusters.put(
                    cluster.name(),
                    Cluster.create(
                            cluster,
                            endpoints.getOrDefault(cluster.name(), List.of()),
                            loop,
                            allocator,
                            stats,
                            new BackendFactory(cluster, loop)));
        }
        return clusters;
    }

    private void listen(
            ListenerConfig listener, List<Map<String, Cluster<Backend>>> clusters, ByteBufAllocator allocator)
            throws IOException {
        Via via = new Via(viaName);
        Admission admission = new Admission(listener.limits().inFlightExchanges());
        Router router = new Router(listener.routes());
        List<ListenerContext> contexts = new ArrayList<>();
        long seed = Entropy.seed();
        for (int i = 0; i < loops.all().size(); i++) {
            contexts.add(new ListenerContext(
                    loops.all().get(i),
                    listener,
                    stats.add(new ListenerStats(listener.name(), Failure.labels())),
                    admission,
                    router,
                    via,
                    new Forwarding(listener.headers(), "http"),
                    new RequestIds(System::currentTimeMillis, seed + i),
                    clusters.get(i),
                    accessLog,
                    listener.address().toString()));
        }
        Listener bound = Listener.bind(listener, loops, allocator, new FrontendInitializer(contexts));
        admissions.add(admission);
        listeners.put(listener.name(), bound);
        Log.info("listener " + listener.name() + " on " + named(listener.address(), bound.address()));
    }

    // the host as configured, and the port that a configured 0 became
    private static Address named(Address configured, InetSocketAddress bound) {
        return new Address(configured.host(), bound.getPort());
    }

    /** Where a listener is bound. */
    public InetSocketAddress address(String listenerName) {
        Listener listener = listeners.get(listenerName);
        if (listener == null) {
            throw new IllegalArgumentException("no listener " + listenerName);
        }
        return listener.address();
    }

    public InetSocketAddress adminAddress() {
        if (admin == null) {
            throw new IllegalStateException("not started");
        }
        return admin.address();
    }

    /** Where the health listener is bound, null where there is none. */
    public @Nullable InetSocketAddress healthAddress() {
        return admin == null ? null : admin.healthAddress();
    }

    @Override
    public ProxyConfig config() {
        return config;
    }

    @Override
    public Stats stats() {
        return stats;
    }

    @Override
    public @Nullable AccessLog accessLog() {
        return accessLog;
    }

    @Override
    public boolean ready() {
        return listening && !draining;
    }

    @Override
    public synchronized void drain() {
        if (draining) {
            return;
        }
        draining = true;
        for (Listener listener : listeners.values()) {
            listener.close();
        }
        // who reads this finds the ports closed
        Log.info("draining");
        for (Loop loop : loops.all()) {
            Drains drains = new Drains(loop);
            loop.eventLoop().execute(drains);
            loop.eventLoop().schedule(drains.end(), config.drainTimeoutNs(), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void shutdown() {
        shutdown.countDown();
    }

    /** Waits until somebody asks for the end. */
    public void awaitShutdown() throws InterruptedException {
        shutdown.await();
    }

    /**
     * Waits until the exchanges in progress have finished or been cut, for at most {@code timeoutMs}.
     *
     * @return whether they have
     */
    public boolean awaitDrained(long timeoutMs) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (inFlight() > 0) {
            if (System.nanoTime() - endNs >= 0) {
                return false;
            }
            Thread.sleep(POLL_MS);
        }
        // responses that are written may still be on their way
        while (openConnections() > 0 && System.nanoTime() - endNs < 0) {
            Thread.sleep(POLL_MS);
        }
        return true;
    }

    /** Ends what is in progress; each exchange counts as cut. Returns when that is done. */
    public void cut() {
        for (Loop loop : loops.all()) {
            loop.eventLoop().submit(new Drains(loop).end()).awaitUninterruptibly(LINGER_MS);
        }
    }

    private int inFlight() {
        int sum = 0;
        for (Admission admission : admissions) {
            sum += admission.inFlight();
        }
        return sum;
    }

    private int openConnections() {
        int sum = 0;
        for (Listener listener : listeners.values()) {
            sum += listener.open();
        }
        return sum;
    }

    /** Ends at once, without a drain. */
    @Override
    public void close() {
        draining = true;
        for (Listener listener : listeners.values()) {
            listener.close();
        }
        cut();
        loops.shutdown().awaitUninterruptibly(LINGER_MS);
        if (admin != null) {
            admin.close();
        }
        if (accessLog != null) {
            accessLog.close();
        }
    }
}
