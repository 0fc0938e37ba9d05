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
     * Event loops that carry the traffic. One loop keeps up with one application, and each further loop has connection
     * pools and buffers of its own. A JVM profile for high rates may set another default.
     */
    public static final ValueKey<Integer> WORKERS = Key.count(null, "workers", 1, 64, 1);

    /**
     * Names the engine that balances, pools and retries. {@code finagle} leaves that to Finagle's client stack, which
     * takes more memory and processor time. It needs the jars of {@code remora-finagle} on the class path; the rules
     * towards clients stay the same. It is the default of images that were built for it. It is begun and not finished,
     * and refuses what it cannot do. See [engines.md](engines.md).
     */
    public static final Choice<EngineKind> ENGINE =
            new Choice<>(null, "engine", EngineKind.values(), EngineKind.ofThisImage());

    /**
     * Filters of your own around each attempt, with {@code engine: finagle} only: classes that are a {@code
     * com.twitter.finagle.Filter} of HTTP requests and responses. See [engines.md](engines.md#custom-filters).
     */
    public static final Key PLUGINS = Key.mappingOrOff(null, "plugins");

    /** Settings for {@code engine: finagle} only. */
    public static final Key FINAGLE = Key.mapping(null, "finagle");

    /**
     * Time that exchanges in progress may take to finish once a drain has begun. The sidecar then cuts and counts the
     * rest. By default Kubernetes leaves a pod the same time between SIGTERM and SIGKILL.
     */
    public static final ValueKey<Long> DRAIN_TIMEOUT = Key.durationNs(null, "drain-timeout", 30_000_000_000L);

    /**
     * Time that an idle kept connection may wait for a last request, whose response ends it, once a drain has begun. A
     * drain begins by a signal, by the admin listener, or by a reload that changes or removes the listener. A request
     * that crosses the end of its connection would be lost. {@code drain-timeout} ends the wait as well. {@code
     * takeover.idle} is the same for a takeover.
     */
    public static final ValueKey<Long> DRAIN_IDLE = Key.durationNs(null, "drain-idle", 5_000_000_000L);

    /**
     * Lets another process of the same user take over from this one, by {@code remora run --takeover}. The other
     * process receives the listening sockets, and this one drains once the other is ready. Needs the library of the
     * runtime images. See [takeover.md](takeover.md).
     */
    public static final Key TAKEOVER = Key.mappingOrOff(null, "takeover");

    /** Path of the Unix socket at which the other process requests the listening sockets. It has mode 0600. */
    public static final Key TAKEOVER_SOCKET = Key.required(TAKEOVER, "socket", "absolute path");

    /**
     * Time that the other process may take until it is ready. If it takes longer, this one goes on as before. Meanwhile
     * no third process can take over.
     */
    public static final ValueKey<Long> TAKEOVER_TIMEOUT = Key.durationNs(TAKEOVER, "timeout", 60_000_000_000L);

    /**
     * Time that an idle connection may wait for a last request, whose response ends it, once another process has taken
     * over. A request that crosses the end of its connection would be lost. At most {@code drain-timeout} counts.
     */
    public static final ValueKey<Long> TAKEOVER_IDLE = Key.durationNs(TAKEOVER, "idle", 5_000_000_000L);

    /**
     * Requests of the sidecar's own before {@code /ready} turns 200, so that a user's first request waits for no class
     * loading and no compilation. They pass listeners, stages and pools of their own, and the sidecar answers them.
     * They are in no metric and no log. See [takeover.md](takeover.md#warm-up).
     */
    public static final Key WARM_UP = Key.mappingOrOff(null, "warm-up");

    /**
     * Number of requests for each way in which listeners take them: HTTP/1.1 and HTTP/2, each plain or over TLS. By
     * 1,000 the compiler has seen each method often enough.
     */
    public static final ValueKey<Integer> WARM_UP_REQUESTS = Key.count(WARM_UP, "requests", 1, 100_000, 2_000);

    /** Time of the whole warm-up. Beyond it the sidecar is ready all the same, with a warning. */
    public static final ValueKey<Long> WARM_UP_TIMEOUT = Key.durationNs(WARM_UP, "timeout", 10_000_000_000L);

    /**
     * Requests that go on to your endpoints, after the others. They pass the routes of a listener and all that the
     * cluster has. A failed one is logged, and does not keep the sidecar from being ready. At most 64.
     */
    public static final Key WARM_UP_GETS = Key.optional(WARM_UP, "gets", Key.LIST);

    /** Names the listener whose routes the request takes; by default the only listener that takes requests. */
    public static final Key WARM_UP_GET_LISTENER = Key.optional(WARM_UP_GETS, "listener", "name of a listener");

    /** The request's Host. */
    public static final Key WARM_UP_GET_HOST = Key.text(WARM_UP_GETS, "host", "host, or host and port", "localhost");

    /** The request's path, with a query if there is one. It must be one that changes nothing. */
    public static final Key WARM_UP_GET_PATH = Key.required(WARM_UP_GETS, "path", "path");

    /** Number of times that the request is made. */
    public static final ValueKey<Integer> WARM_UP_GET_TIMES = Key.count(WARM_UP_GETS, "times", 1, 10_000, 100);

    /** Settings of reloads, which read the configuration again while the process runs. See [reload.md](reload.md). */
    public static final Key RELOAD = Key.mapping(null, "reload");

    /**
     * Checks the configuration file every second, and reloads it when it has changed, as SIGHUP and {@code POST
     * /reload} do. It is off because a change should come when somebody requests it.
     */
    public static final Choice<Boolean> RELOAD_WATCH = Key.flag(RELOAD, "watch", false);

    /** The watchdog of the event loops. See [operations.md](operations.md#the-watchdog). */
    public static final Key WATCHDOG = Key.mapping(null, "watchdog");

    /**
     * Time that an event loop may stand still before {@code /live} answers 503, so that an orchestrator restarts the
     * process. Time in which the loop waits for a processor does not count. A fault that holds a loop up for so long
     * does not go away by itself.
     */
    public static final ValueKey<Long> WATCHDOG_LIVE = Key.durationOrOffNs(WATCHDOG, "live", 30_000_000_000L);

    /** The short form of {@code log.level}, instead of it. */
    public static final Key LOG_LEVEL = Key.optional(null, "log-level", "`debug`, `info`, `warn` or `error`");

    /** The sidecar's own log, on standard error. */
    public static final Key LOG = Key.mapping(null, "log");

    /**
     * The least severe level that is written. At {@code info} it reports the life cycle and changes of state, and nothing per
     * request.
     */
    public static final Choice<LogLevel> LOG_LEVEL_OF_ALL =
            new Choice<>(LOG, "level", LogLevel.values(), LogLevel.INFO);

    /**
     * The levels of components that have one of their own, such as {@code tls: debug}: {@code process}, {@code listener}, {@code
     * cluster}, {@code tls}, {@code memory}, {@code netty} and {@code finagle}. See [logs.md](logs.md#diagnostic-log).
     */
    public static final Key LOG_COMPONENTS = Key.optional(LOG, "components", "mapping of components to levels");

    /**
     * The sidecar's name in Via fields, by which it also recognises a request that comes round in a loop. {@code auto}
     * stands for {@code remora-} and six characters that differ from process to process. Two sidecars in a row under
     * one name would take each other for a loop.
     */
    public static final Key VIA = Key.text(null, "via", "token", ProxyConfig.VIA_AUTO);

    /** The operator's listener. */
    public static final Key ADMIN_SECTION = Key.mapping(null, "admin");

    /**
     * Address of the admin listener. The default is on loopback because any client that reaches this listener can end
     * the process. {@code unix:/PATH} is a Unix socket, and {@code socket} limits its clients.
     */
    public static final Key ADMIN_ADDRESS =
            Key.text(ADMIN_SECTION, "address", "address, or `unix:/PATH`", ADMIN.toString());

    /**
     * Permissions and owner of the Unix socket, if {@code address} is one: the keys of {@code listeners[].socket}, but
     * by default {@code mode: 0600}.
     */
    public static final Key ADMIN_SOCKET = Key.optional(ADMIN_SECTION, "socket", Key.MAPPING);

    /** Permits an address outside loopback, with {@code true} only. */
    public static final Choice<Boolean> ADMIN_ALLOW_REMOTE = Key.flag(ADMIN_SECTION, "allow-remote", false);

    /**
     * TLS for the admin listener, with the keys of {@code listeners[].tls}, but always with {@code mode: strict}. With
     * {@code client-certificates: required}, a client whose certificate leads to {@code trust} may do all that the
     * listener offers.
     */
    public static final Key ADMIN_TLS = Key.mappingOrOff(ADMIN_SECTION, "tls");

    /**
     * A listener that serves {@code /live} and {@code /ready} only, for probes that cannot reach loopback. {@code remora run --health
     * ADDRESS} adds it, or overrides its address.
     */
    public static final Key HEALTH = Key.mappingOrOff(null, "health");

    /** Address of the health listener. */
    public static final Key HEALTH_ADDRESS = Key.required(HEALTH, "address", "address, or `unix:/PATH`");

    /** Permissions and owner of the Unix socket, if {@code address} is one: the keys of {@code listeners[].socket}. */
    public static final Key HEALTH_SOCKET = Key.optional(HEALTH, "socket", Key.MAPPING);

    /**
     * Serves {@code /metrics} on the health listener as well, for a scraper that cannot reach loopback. Any client that reaches the
     * listener can read the names of your clusters and endpoints in it.
     */
    public static final Choice<Boolean> HEALTH_METRICS = Key.flag(HEALTH, "metrics", false);

    /**
     * One line per exchange. It is off because each line costs time and disk space; {@code {}} switches it on with the
     * defaults below.
     */
    public static final Key ACCESS_LOG = Key.mappingOrOff(null, "access-log");

    private OperatorKeys() {}

    public static int workersByDefault() {
        long asked = Integer.getInteger(WORKERS_PROPERTY, (int) WORKERS.fallback);
        return (int) Math.min(Math.max(asked, WORKERS.min), WORKERS.max);
    }
}
