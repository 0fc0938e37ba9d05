package io.remora;

import io.remora.admin.AdminServer;
import io.remora.admin.DrainProgress;
import io.remora.admin.ProxyControl;
import io.remora.admin.Recorder;
import io.remora.admin.ReloadOutcome;
import io.remora.check.Overrides;
import io.remora.config.model.Address;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.FeatureList;
import io.remora.log.AccessLog;
import io.remora.log.FileAccessLog;
import io.remora.log.Log;
import io.remora.log.NettyLogging;
import io.remora.memory.MemoryPlan;
import io.remora.metrics.ChangeListener;
import io.remora.metrics.ConfigState;
import io.remora.metrics.MemoryState;
import io.remora.metrics.Stats;
import io.remora.process.LeanDefaults;
import io.remora.recorder.FlightControl;
import io.remora.reload.Reload;
import io.remora.reload.Reloadable;
import io.remora.serving.DataPath;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.transport.GivenSockets;
import io.remora.transport.LoopWatch;
import io.remora.transport.NanoClock;
import io.remora.warmup.WarmUp;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One running sidecar: starts from a configuration, reports its state, drains, and ends. {@link DataPath} is the part
 * that its exchanges pass through.
 *
 * <p>Thread safe.
 */
public final class Proxy implements ProxyControl, AutoCloseable {
    private final Stats stats = new Stats();
    private final CountDownLatch shutdown;
    private final Drain drain = new Drain();
    private @Nullable AccessLog accessLog;
    private @Nullable AdminServer admin;
    /** Null in images without a flight recorder. */
    private @Nullable Recorder recorder;

    private volatile boolean listening;

    private volatile ProxyConfig config;
    private volatile @Nullable DataPath path;

    /** State for reloads, from here on; none of its classes is loaded before the first reload. */
    private final long startedMs = System.currentTimeMillis();

    private volatile @Nullable String configFile;
    private @Nullable Overrides overrides;
    private volatile @Nullable ConfigState configState;
    private @Nullable Reload reload;

    private Proxy(ProxyConfig config, CountDownLatch shutdown) {
        this.config = config;
        this.shutdown = shutdown;
    }

    /**
     * Starts everything, or nothing.
     *
     * @throws IOException naming the address that cannot be bound, the name not resolved or the access log not opened
     */
    public static Proxy start(ProxyConfig config) throws IOException {
        ProcessFiles files = new ProcessFiles();
        return start(config, Memory.plan(config, files), files, new Seams(), null, new CountDownLatch(1));
    }

    /**
     * Does the same with parts that the caller has.
     *
     * @param given sockets to take instead of binding; null for none
     * @param shutdown counted down by a request for the end, as {@link #shutdown()} is
     */
    public static Proxy start(
            ProxyConfig config,
            MemoryPlan plan,
            ProcessFiles files,
            Seams seams,
            @Nullable GivenSockets given,
            CountDownLatch shutdown)
            throws IOException {
        LeanDefaults.set();
        NettyLogging.install();
        Log.levels(config.logLevel(), config.logComponents());
        Proxy proxy = new Proxy(config, shutdown);
        try {
            proxy.open(plan, files, seams, given);
        } catch (IOException | RuntimeException e) {
            proxy.close();
            throw e;
        }
        return proxy;
    }

    private void open(MemoryPlan plan, ProcessFiles files, Seams seams, @Nullable GivenSockets given)
            throws IOException {
        logLaunch();
        if (config.options().has(ProxyConfig.ACCESS_LOG)) {
            accessLog = FileAccessLog.of(config);
        }
        DataPath opened = DataPath.build(config, plan, stats, accessLog, files, seams, given);
        path = opened;
        if (System.getProperty(FlightControl.PROPERTY) != null) {
            recorder = RecorderStart.begin(opened.shared());
        }
        // before anything else is opened, so that an orchestrator can tell "not ready yet" from "not there"
        AdminServer server = AdminServer.start(this, seams.handshake(config.admin(), opened.shared()), given);
        admin = server;
        opened.open(config);
        tellMemory(plan);
        if (config.options().has(ProxyConfig.WARM_UP)) {
            WarmUp.run(config, plan, shutdown);
        }
        if (given != null && given.takenOver()) {
            return;
        }
        if (endsEarly()) {
            Log.info("start: " + (drain.isAsked() ? "drain" : "end")
                    + " requested during the start; ending without becoming ready");
        } else {
            begin();
        }
    }

    /** Logs the launcher's choice: profile, image, and the heap where the user gave another; nothing where a JVM was started by hand. */
    private static void logLaunch() {
        String profile = System.getProperty("remora.profile");
        if (profile == null) {
            return;
        }
        String heap = System.getProperty("remora.heap.override");
        Log.info("profile " + profile + ", image " + System.getProperty("remora.image", "unknown")
                + (heap == null ? "" : ", heap overridden by " + heap));
    }

    /** True once somebody has asked for the end, or for a drain. */
    boolean endsEarly() {
        return drain.isAsked() || shutdown.getCount() == 0;
    }

    /** True once it has become ready, even if it drains by now. */
    boolean hasBegun() {
        return listening;
    }

    /** Begins to accept on sockets that another process has answered on until now, as the sidecar is ready. */
    void begin() {
        DataPath current = path();
        current.listeners().begin();
        // before a probe can ask that has been told otherwise by the other process
        listening = true;
        admin().begin();
        InetSocketAddress at = admin().address();
        current.announce(config);
        admin().watch(new LoopWatch(current.shared().loops(), NanoClock.SYSTEM, config.watchdogLiveNs()));
        Address configured = config.admin().address();
        Log.info("ready; admin on " + (at == null ? configured : new Address(configured.host(), at.getPort())));
    }

    private void tellMemory(MemoryPlan plan) {
        Log.info(plan.text());
        String warning = Memory.warning(plan, config);
        if (warning != null) {
            Log.warn(warning);
        }
    }

    @Override
    public MemoryState memory() {
        DataPath current = path;
        return current == null
                ? new MemoryState(-1, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1, -1, 0)
                : Memory.state(current.memory(), config);
    }

    @Override
    public void appendPeaks(StringBuilder text) {
        DataPath current = path;
        if (current != null) {
            current.listeners().peaks().append(text);
        }
    }

    @Override
    public long memoryUsageBytes() {
        DataPath current = path;
        return current == null ? -1 : current.memory().usageNowBytes();
    }

    @Override
    public @Nullable String memoryNotice() {
        DataPath current = path;
        return current == null ? null : Memory.notice(current.memory(), config);
    }

    /**
     * Applies another configuration from now on, as far as that can be done live.
     *
     * @throws IOException where a cluster cannot be obtained; nothing has changed then
     */
    public void replace(ProxyConfig next) throws IOException {
        path().replace(next);
        config = next;
    }

    /**
     * Sets the origin of the configuration, which may change there.
     *
     * @param file as the command line names it
     * @param chosen by the command line, null for nothing
     */
    public void reloadFrom(String file, @Nullable Overrides chosen) {
        configFile = file;
        overrides = chosen;
        if (config.watch()) {
            reloads(file).watch();
        }
    }

    private synchronized Reload reloads(String file) {
        Reload known = reload;
        if (known == null) {
            known = Running.reload(this, file, overrides);
            reload = known;
        }
        return known;
    }

    /** Reloads as {@link #reload(ReloadOutcome)} does, where nobody waits for it. */
    void reload() {
        reload(null);
    }

    @Override
    public void reload(@Nullable ReloadOutcome then) {
        String file = configFile;
        if (file != null) {
            reloads(file).ask(then);
        } else if (then != null) {
            then.told(400, ready() ? "the configuration was not read from a file\n" : "the sidecar is not ready\n");
        }
    }

    @Override
    public ConfigState configState() {
        ConfigState known = configState;
        if (known == null) {
            DataPath current = path;
            return new ConfigState(current == null ? 0 : current.generation(), startedMs, 0, 0, 0, "");
        }
        return known;
    }

    /** An attempt to replace the configuration has ended. */
    private void attempted(boolean good, String text) {
        configState = configState().after(good, path().generation(), System.currentTimeMillis(), text);
        ChangeListener changes = stats.changes();
        if (changes != null) {
            changes.reloaded(good, path().generation());
        }
    }

    public MemoryPlan plan() {
        return path().memory().plan();
    }

    /** The data path; there is one once the proxy has started. */
    public DataPath path() {
        DataPath current = path;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        return current;
    }

    AdminServer admin() {
        AdminServer current = admin;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        return current;
    }

    /** Returns the address that a listener is bound to. */
    public InetSocketAddress address(String listenerName) {
        return path().listeners().address(listenerName);
    }

    public InetSocketAddress adminAddress() {
        InetSocketAddress at = admin().address();
        if (at == null) {
            throw new IllegalStateException("on no port");
        }
        return at;
    }

    /** Returns the address that the health listener is bound to, null where there is none. */
    public @Nullable InetSocketAddress healthAddress() {
        return admin == null ? null : admin.healthAddress();
    }

    @Override
    public ProxyConfig config() {
        return config;
    }

    @Override
    public String configText() {
        return ConfigText.render(config(), FeatureList.off());
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
    public @Nullable Recorder recorder() {
        return recorder;
    }

    @Override
    public boolean ready() {
        return listening && !drain.isInboundAsked();
    }

    @Override
    public synchronized void drain() {
        if (!drain.ask()) {
            return;
        }
        DataPath current = path;
        if (current == null) {
            drain.skip();
        } else {
            drain.begin(current, admin);
        }
    }

    @Override
    public boolean drainInbound(long delayMs) throws InterruptedException {
        DataPath current = path;
        if (!listening || current == null) {
            return false;
        }
        if (drain.askInbound()) {
            drain.beginInbound(current, admin, delayMs);
        }
        return true;
    }

    @Override
    public @Nullable DrainProgress drainProgress(boolean inboundOnly) {
        DataPath current = path;
        return current == null ? null : drain.progress(current, inboundOnly);
    }

    // ---- from one process to another

    /**
     * Records that another process has the sockets as well, and goes on with them when they are closed here; or has
     * them no longer.
     */
    void share(boolean now) {
        drain.share(now);
    }

    /** Drains, and then ends, as another process answers on the sockets; {@code idleNs} is for connections without an exchange. */
    public void retire(long idleNs) {
        drain.share(true);
        drain.leaveFiles(path, admin);
        if (admin != null) {
            admin.closePorts();
        }
        drain.retireAfter(idleNs);
        drain();
        shutdown();
    }

    // ---- the end

    /** Reports the end of the drain, once. */
    void tellDrained() {
        DataPath current = path;
        if (current != null) {
            drain.tell(current);
        }
    }

    /** Cuts what is in progress because the process is to end at once, and says what that was. */
    void endAtOnce() {
        DataPath current = path;
        if (current != null) {
            Drain.cutAtOnce(current);
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
     * Waits until the exchanges in progress have finished or been cut, for at most {@code timeoutMs}. Before that it
     * waits at most as long for a drain to begin.
     *
     * @return whether they have
     */
    public boolean awaitDrained(long timeoutMs) throws InterruptedException {
        return drain.await(path(), timeoutMs);
    }

    /** Ends what is in progress; each exchange counts as cut. Returns when that is done. */
    public void cut() {
        path().cut();
    }

    /** Ends at once, without a drain. */
    @Override
    public void close() {
        drain.ask();
        // a drain that somebody waits for may not have begun
        drain.skip();
        DataPath current = path;
        drain.leaveFiles(current, admin);
        if (current != null) {
            current.close();
        }
        if (admin != null) {
            admin.close();
        }
        if (accessLog != null) {
            accessLog.close();
        }
    }

    /** A reload's view of this sidecar. Loaded by the first reload. */
    private static final class Running implements Reloadable {
        private final Proxy proxy;

        private Running(Proxy proxy) {
            this.proxy = proxy;
        }

        static Reload reload(Proxy proxy, String file, @Nullable Overrides chosen) {
            return new Reload(new Running(proxy), proxy.path().shared().files(), file, chosen);
        }

        @Override
        public ProxyConfig config() {
            return proxy.config;
        }

        @Override
        public ConfigState configState() {
            return proxy.configState();
        }

        @Override
        public MemoryPlan plan() {
            return proxy.plan();
        }

        @Override
        public boolean isDraining() {
            return proxy.drain.isInboundAsked();
        }

        @Override
        public void replace(ProxyConfig next) throws IOException {
            proxy.replace(next);
        }

        @Override
        public void attempted(boolean good, String text) {
            proxy.attempted(good, text);
        }
    }
}
