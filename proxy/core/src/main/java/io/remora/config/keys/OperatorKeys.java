package io.remora.config.keys;

import io.remora.config.model.Address;
import io.remora.config.model.EngineKind;
import io.remora.config.model.LogLevel;
import io.remora.config.model.ProxyConfig;

/** The keys that concern the process and its operator, in the order of the page. */
public final class OperatorKeys {
    /** Where the admin listener is bound unless the file says otherwise. */
    public static final Address ADMIN = new Address("127.0.0.1", 9990);

    /** The property by which a JVM profile for high rates asks for more loops; the file wins. */
    private static final String WORKERS_PROPERTY = "remora.workers";

    /**
     * Number of event loops that handle traffic. One loop is enough for one application. Each further loop has separate
     * connection pools and buffers. A JVM profile for high rates can set another default.
     */
    public static final ValueKey<Integer> WORKERS = Key.count(null, "workers", 1, 64, 1);

    /**
     * The engine that provides load balancing, connection pools and retries. {@code finagle} uses the Finagle client
     * stack, which takes more memory and CPU. It requires the jars of {@code remora-finagle} on the class path, and is
     * the default in images built for it. Client-side behaviour is the same. The Finagle engine is incomplete, and
     * rejects settings that it does not support. See [engines.md](engines.md).
     */
    public static final Choice<EngineKind> ENGINE =
            new Choice<>(null, "engine", EngineKind.values(), EngineKind.ofThisImage());

    /**
     * Custom filters around each attempt: classes that implement {@code com.twitter.finagle.Filter} for HTTP requests
     * and responses. Requires {@code engine: finagle}. See [engines.md](engines.md#custom-filters).
     */
    public static final Key PLUGINS = Key.mappingOrOff(null, "plugins");

    /** Settings for {@code engine: finagle}. */
    public static final Key FINAGLE = Key.mapping(null, "finagle");

    /**
     * Maximum time for exchanges in progress to finish after a drain has started. The sidecar then cuts and counts the
     * remaining exchanges. The default matches the time that Kubernetes leaves between SIGTERM and SIGKILL.
     */
    public static final ValueKey<Long> DRAIN_TIMEOUT = Key.durationNs(null, "drain-timeout", 30_000_000_000L);

    /**
     * Time that idle keep-alive connections stay open for one last request after a drain has started. The response to
     * that request closes the connection. This avoids losing a request that a client sends while the sidecar closes the
     * connection. A signal, the admin listener, or a reload that changes or removes the listener starts a drain. {@code
     * drain-timeout} limits this time as well. For takeovers, use {@code takeover.idle}.
     */
    public static final ValueKey<Long> DRAIN_IDLE = Key.durationNs(null, "drain-idle", 5_000_000_000L);

    /**
     * Allows another process of the same user to take over the listening sockets with {@code remora run --takeover}.
     * This process drains as soon as the new process is ready. Requires the native library of the runtime images. See
     * [takeover.md](takeover.md).
     */
    public static final Key TAKEOVER = Key.mappingOrOff(null, "takeover");

    /**
     * Sends synthetic requests before {@code /ready} returns 200, so that the first user request does not wait for
     * class loading and compilation. The requests use separate listeners, stages and pools, and the sidecar answers
     * them itself. They do not appear in metrics or logs. See [takeover.md](takeover.md#warm-up).
     */
    public static final Key WARM_UP = Key.mappingOrOff(null, "warm-up");

    /** Settings for reloading the configuration while the process runs. See [reload.md](reload.md). */
    public static final Key RELOAD = Key.mapping(null, "reload");

    /**
     * Checks the configuration file every second and reloads it after a change. By default, only SIGHUP and {@code POST
     * /reload} reload it, so that a change takes effect when you request it.
     */
    public static final Choice<Boolean> RELOAD_WATCH = Key.flag(RELOAD, "watch", false);

    /** Watchdog for the event loops. See [operations.md](operations.md#the-watchdog). */
    public static final Key WATCHDOG = Key.mapping(null, "watchdog");

    /**
     * Time that an event loop can be blocked before {@code /live} returns 503 and the orchestrator restarts the
     * process. Time spent waiting for a CPU does not count. A fault that blocks a loop for that long does not resolve
     * by itself.
     */
    public static final ValueKey<Long> WATCHDOG_LIVE = Key.durationOrOffNs(WATCHDOG, "live", 30_000_000_000L);

    /** Short form of {@code log.level}. Set only one of them. */
    public static final Key LOG_LEVEL = Key.optional(null, "log-level", "`debug`, `info`, `warn` or `error`");

    /** Diagnostic log on standard error. */
    public static final Key LOG = Key.mapping(null, "log");

    /**
     * Minimum severity of log lines. {@code info} covers the life cycle and state changes, and logs nothing per
     * request.
     */
    public static final Choice<LogLevel> LOG_LEVEL_OF_ALL =
            new Choice<>(LOG, "level", LogLevel.values(), LogLevel.INFO);

    /**
     * Pseudonym of the sidecar in Via fields, which is also used to detect request loops. {@code auto} means {@code
     * remora-} followed by six characters that differ for each process. Use different names for sidecars in a row,
     * because they would otherwise report a loop.
     */
    public static final Key VIA = Key.text(null, "via", "token", ProxyConfig.VIA_AUTO);

    /** The word of {@link #ADMIN_PAGES} that allows buttons. */
    public static final String ACT = "act";

    private static final String LOOK = "look";

    /** Admin listener for operators. */
    public static final Key ADMIN_SECTION = Key.mapping(null, "admin");

    /**
     * Address of the admin listener. The default is a loopback address, because any client that reaches this listener
     * can stop the process. If you use a Unix socket ({@code unix:/PATH}), {@code socket} controls who can connect.
     */
    public static final Key ADMIN_ADDRESS =
            Key.text(ADMIN_SECTION, "address", "address, or `unix:/PATH`", ADMIN.toString());

    /**
     * Permissions and owner of the Unix socket, if {@code address} is one. Takes the same keys as {@code
     * listeners[].socket}, but the default is {@code mode: 0600}.
     */
    public static final Key ADMIN_SOCKET = Key.optional(ADMIN_SECTION, "socket", Key.MAPPING);

    /** Allows an address outside loopback. */
    public static final Choice<Boolean> ADMIN_ALLOW_REMOTE = Key.flag(ADMIN_SECTION, "allow-remote", false);

    /**
     * TLS for the admin listener. Takes the same keys as {@code listeners[].tls}, but only {@code mode: strict} is
     * supported. With {@code client-certificates: required}, clients with a certificate issued by {@code trust} have
     * full access.
     */
    public static final Key ADMIN_TLS = Key.mappingOrOff(ADMIN_SECTION, "tls");

    /**
     * Permissions of the [dashboard](dashboard.md). {@code look} shows figures only. {@code act} adds buttons that start
     * a drain and change the log level, and with {@code profile: true} one that takes a profile. If the address is
     * neither loopback nor a Unix socket, {@code act} requires {@code tls} with {@code client-certificates: required}.
     */
    public static final Choice<String> ADMIN_PAGES =
            new Choice<>(ADMIN_SECTION, "pages", new String[] {LOOK, ACT}, LOOK);

    /**
     * Allows clients to look inside the running sidecar with [profiles](profile.md), [flight recordings](recording.md)
     * and [further pages](admin.md#insight-into-the-process). All of them take CPU time and memory, and most show the
     * names of the code that runs. If the address is neither loopback nor a Unix socket, {@code
     * tls} with {@code client-certificates: required} is necessary.
     */
    public static final Choice<Boolean> ADMIN_PROFILE = Key.flag(ADMIN_SECTION, "profile", false);

    /**
     * Allows [heap dumps](admin.md#heap-dumps) with {@code POST /heap-dump}, and names the directory for their files. A
     * heap dump holds private keys, tokens, and parts of requests and responses. If the address is not a Unix socket,
     * {@code tls} with {@code client-certificates: required} is necessary, also on loopback. {@code remora run --admin}
     * turns it off.
     */
    public static final Key ADMIN_HEAP_DUMP = Key.text(ADMIN_SECTION, "heap-dump", "absolute path, or off", Key.OFF);

    /**
     * Separate listener for {@code /live} and {@code /ready}, for probes that cannot reach loopback. {@code remora run
     * --health ADDRESS} adds this listener or overrides its address.
     */
    public static final Key HEALTH = Key.mappingOrOff(null, "health");

    /** Address of the health listener. */
    public static final Key HEALTH_ADDRESS = Key.required(HEALTH, "address", "address, or `unix:/PATH`");

    /**
     * Permissions and owner of the Unix socket, if {@code address} is one. Takes the same keys as {@code
     * listeners[].socket}.
     */
    public static final Key HEALTH_SOCKET = Key.optional(HEALTH, "socket", Key.MAPPING);

    /**
     * Also serves {@code /metrics} on the health listener, for scrapers that cannot reach loopback. The metrics expose
     * the names of your clusters and endpoints to all clients of this listener.
     */
    public static final Choice<Boolean> HEALTH_METRICS = Key.flag(HEALTH, "metrics", false);

    /**
     * Access log, with one line per exchange. Use {@code {}} to enable it with the defaults below. Off by default
     * because each line costs time and disk space.
     */
    public static final Key ACCESS_LOG = Key.mappingOrOff(null, "access-log");

    private OperatorKeys() {}

    /** Returns the word of {@link #ADMIN_PAGES} for a dashboard with or without buttons. */
    public static String pages(boolean acts) {
        return acts ? ACT : LOOK;
    }

    public static int workersByDefault() {
        long asked = Integer.getInteger(WORKERS_PROPERTY, (int) WORKERS.fallback);
        return (int) Math.min(Math.max(asked, WORKERS.min), WORKERS.max);
    }
}
