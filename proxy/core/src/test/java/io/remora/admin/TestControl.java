package io.remora.admin;

import io.remora.config.model.Address;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.AdminPermissions;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Clusters;
import io.remora.config.model.EngineKind;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.LogLevel;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.log.AccessLog;
import io.remora.log.AccessLogConfig;
import io.remora.metrics.ConfigState;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.LoopStats;
import io.remora.metrics.MemoryState;
import io.remora.metrics.Stats;
import io.remora.testkit.Stand;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsPlaces;
import io.remora.tls.config.TlsProtocols;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A proxy that only counts what it is told. */
final class TestControl implements ProxyControl {
    /** What asks clients for a certificate; nobody reads its files. */
    static final ListenerTls REQUIRED = new ListenerTls(
            List.of(),
            new TlsProtocols("1.2", List.of(), List.of(), List.of("http/1.1")),
            ListenerTls.ClientCertificates.REQUIRED,
            null,
            10_000_000_000L,
            10,
            ListenerTls.Mode.STRICT,
            null,
            TlsPlaces.NONE);

    final AtomicInteger drains = new AtomicInteger();
    final AtomicInteger shutdowns = new AtomicInteger();
    volatile boolean ready;
    final ListenerStats listener;
    private final ProxyConfig config;
    volatile int reloadStatus = 200;
    /** Open unless a test has a reload wait. */
    volatile CountDownLatch mayReload = new CountDownLatch(0);

    /** Takes the place of a reload; null for none. */
    volatile Consumer<ReloadOutcome> slowPage;

    volatile Thread reloading;
    volatile Throwable reloadFailure;
    private final Stats stats = new Stats();

    TestControl(Address admin, boolean allowRemote, Address health) {
        this(admin, allowRemote, health, null);
    }

    TestControl(Address admin, boolean allowRemote, Address health, ListenerTls tls) {
        this(new AdminConfig(admin, allowRemote, tls), health);
    }

    private TestControl(AdminConfig admin, Address health) {
        ClusterConfig cluster = Clusters.plain(10, 5, 1_000_000, null, null, new Address("127.0.0.1", 8081));
        config = new ProxyConfig(
                1,
                EngineKind.NETTY,
                30_000_000_000L,
                5_000_000_000L,
                LogLevel.INFO,
                Limits.UNLIMITED,
                admin,
                List.of(),
                Map.of("app", cluster),
                Options.NONE
                        .with(ProxyConfig.VIA, "remora")
                        .with(ProxyConfig.HEALTH, health == null ? null : new HealthConfig(health))
                        .with(
                                AccessLogConfig.ACCESS_LOG,
                                new AccessLogConfig(AccessLogConfig.Format.JSON, "stdout", 16)));
        listener = stats.add(new ListenerStats("ingress", "no-route"));
        EndpointStats endpoint = stats.add(new EndpointStats("app", "127.0.0.1:8081"));
        endpoint.add(EndpointMetric.OPENED, 5);
        endpoint.add(EndpointMetric.CLOSED, 1);
        endpoint.add(EndpointMetric.IDLE, 3);
        endpoint.add(EndpointMetric.CONNECT_FAILURES, 2);
        stats.add(new LoopStats("loop-0"));
    }

    static TestControl onLoopback() {
        return new TestControl(new Address("127.0.0.1", 0), false, new Address("127.0.0.1", 0));
    }

    /** Returns a control whose dashboard has buttons, one for profiles among them. */
    static TestControl acting() {
        return acting(true);
    }

    static TestControl acting(boolean profile) {
        Address any = new Address("127.0.0.1", 0);
        return new TestControl(new AdminConfig(any, false, null, null, new AdminPermissions(true, profile, null)), any);
    }

    @Override
    public ProxyConfig config() {
        return config;
    }

    @Override
    public String configText() {
        return ConfigText.render(config);
    }

    @Override
    public Stats stats() {
        return stats;
    }

    @Override
    public AccessLog accessLog() {
        return null;
    }

    @Override
    public MemoryState memory() {
        return new MemoryState(0, -1, 1 << 20, 0, 0, 10, 10, -1, -1, -1, -1, -1, 0);
    }

    @Override
    public void reload(ReloadOutcome then) {
        if (slowPage != null) {
            slowPage.accept(then);
            return;
        }
        reloading = new Thread(
                () -> {
                    Stand.await(mayReload);
                    then.told(reloadStatus, "reloaded\n");
                },
                "reload");
        reloading.setUncaughtExceptionHandler((thread, failure) -> reloadFailure = failure);
        reloading.start();
    }

    @Override
    public ConfigState configState() {
        return new ConfigState(2, 1_000, 1, 2, 3_000, "refused:\nfirst\nsecond\n");
    }

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public void drain() {
        drains.incrementAndGet();
    }

    @Override
    public boolean drainInbound(long delayMs) {
        return ready;
    }

    @Override
    public DrainProgress drainProgress(boolean inboundOnly) {
        return new DrainProgress(0, 0);
    }

    @Override
    public void shutdown() {
        shutdowns.incrementAndGet();
    }
}
