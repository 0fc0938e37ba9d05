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
     * Who balances, pools and repeats. {@code finagle} leaves that to Finagle's client stack, which takes more memory and
     * processor time, and needs the jars of {@code remora-finagle} on the class path; the rules towards clients stay the same. It
     * is the default of images that were built for it.
     * It is begun and not finished, and refuses what it cannot do. See [engines.md](engines.md).
     */
    public static final Choice<EngineKind> ENGINE =
            new Choice<>(null, "engine", EngineKind.values(), EngineKind.ofThisImage());

    /**
     * Filters of your own around each attempt, with {@code engine: finagle} only: classes that are a {@code
     * com.twitter.finagle.Filter} of HTTP requests and responses. See [engines.md](engines.md#filters-of-your-own).
     */
    public static final Key PLUGINS = Key.mappingOrOff(null, "plugins");

    /** Where their jars are; every {@code .jar} in it is used, those of libraries included. */
    public static final Key PLUGIN_DIRECTORY = Key.required(PLUGINS, "directory", "path");

    /** The names of their classes, the outermost first. */
    public static final Key PLUGIN_FILTERS = Key.required(PLUGINS, "filters", "list of class names");

    /** What is for {@code engine: finagle} alone. */
    public static final Key FINAGLE = Key.mapping(null, "finagle");

    /**
     * The delegations by which names of clusters are bound, in Finagle's syntax; later ones win. See
     * [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key FINAGLE_DTAB = Key.optional(FINAGLE, "dtab", "dtab, such as `/s => /#`");

    /**
     * How long exchanges in progress may take to finish once a drain has begun; what is left then is cut and counted. By
     * default Kubernetes leaves a pod the same time between SIGTERM and SIGKILL.
     */
    public static final ValueKey<Long> DRAIN_TIMEOUT = Key.durationNs(null, "drain-timeout", 30_000_000_000L);

    /**
     * How long a kept connection without a request may wait for a last one, whose response ends it, once a drain has begun: by a signal,
     * by the admin listener, or by a reload that changes or removes its listener. A request that crosses the end of its connection would
     * be lost. {@code drain-timeout} ends the wait as well. {@code takeover.idle} is the same for a takeover.
     */
    public static final ValueKey<Long> DRAIN_IDLE = Key.durationNs(null, "drain-idle", 5_000_000_000L);

    /**
     * Lets another process of the same user take over from this one, by {@code remora run --takeover}: it is handed the sockets that
     * are listened on, and this one drains once it is ready. Needs the library of the runtime images. See [takeover.md](takeover.md).
     */
    public static final Key TAKEOVER = Key.mappingOrOff(null, "takeover");

    /** Where the other process asks for them: the path of a Unix socket, which has mode 0600. */
    public static final Key TAKEOVER_SOCKET = Key.required(TAKEOVER, "socket", "absolute path");

    /**
     * How long the other process may take until it is ready. If it takes longer, this one goes on as before, and nobody else could ask
     * it meanwhile.
     */
    public static final ValueKey<Long> TAKEOVER_TIMEOUT = Key.durationNs(TAKEOVER, "timeout", 60_000_000_000L);

    /**
     * How long a connection without a request may wait for a last one, whose response ends it, once another process has taken over. A
     * request that crosses the end of its connection would be lost. At most {@code drain-timeout} counts.
     */
    public static final ValueKey<Long> TAKEOVER_IDLE = Key.durationNs(TAKEOVER, "idle", 5_000_000_000L);

    /**
     * Requests of the sidecar's own before {@code /ready} turns 200, so that the first of a user does not wait for classes to be loaded and
     * code to be compiled. They go through listeners, stages and pools of their own, are answered by the sidecar, and are in no metric and
     * no log. See [takeover.md](takeover.md#warm-up).
     */
    public static final Key WARM_UP = Key.mappingOrOff(null, "warm-up");

    /**
     * How many for each way in which listeners take requests: HTTP/1.1 and HTTP/2, each plain or over TLS. By 1,000 the compiler has seen
     * each method often enough.
     */
    public static final ValueKey<Integer> WARM_UP_REQUESTS = Key.count(WARM_UP, "requests", 1, 100_000, 2_000);

    /** How long all of it may take together; the sidecar is ready then all the same, with a warning. */
    public static final ValueKey<Long> WARM_UP_TIMEOUT = Key.durationNs(WARM_UP, "timeout", 10_000_000_000L);

    /**
     * Requests that go on to your endpoints, after the others: they pass the routes of a listener, and what the cluster has. One that fails
     * is told in the log, and keeps nobody from being ready. At most 64.
     */
    public static final Key WARM_UP_GETS = Key.optional(WARM_UP, "gets", Key.LIST);

    /** By whose routes it goes; by default those of the only listener that takes requests. */
    public static final Key WARM_UP_GET_LISTENER = Key.optional(WARM_UP_GETS, "listener", "name of a listener");

    /** What its Host says. */
    public static final Key WARM_UP_GET_HOST = Key.text(WARM_UP_GETS, "host", "host, or host and port", "localhost");

    /** What it asks for, with a query if there is one. It is to be something that changes nothing. */
    public static final Key WARM_UP_GET_PATH = Key.required(WARM_UP_GETS, "path", "path");

    /** How often it is made. */
    public static final ValueKey<Integer> WARM_UP_GET_TIMES = Key.count(WARM_UP_GETS, "times", 1, 10_000, 100);

    /** How the configuration is read anew while the process runs. See [reload.md](reload.md). */
    public static final Key RELOAD = Key.mapping(null, "reload");

    /**
     * Whether the configuration file is looked at every second, and read anew when it has changed, as SIGHUP and {@code POST /reload}
     * do. It is off because a change should come when somebody asks for it.
     */
    public static final Choice<Boolean> RELOAD_WATCH = Key.flag(RELOAD, "watch", false);

    /** The watchdog of the event loops. See [operations.md](operations.md#the-watchdog). */
    public static final Key WATCHDOG = Key.mapping(null, "watchdog");

    /**
     * How long an event loop may stand still before {@code /live} answers 503, so that an orchestrator restarts the process. Time in which
     * the loop waits for a processor does not count. A fault that holds a loop up for so long does not go away by itself.
     */
    public static final ValueKey<Long> WATCHDOG_LIVE = Key.durationOrOffNs(WATCHDOG, "live", 30_000_000_000L);

    /** The short form of {@code log.level}, in its place. */
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
     * cluster}, {@code tls}, {@code memory}, {@code netty} and {@code finagle}. See [logs.md](logs.md#the-sidecars-own-log).
     */
    public static final Key LOG_COMPONENTS = Key.optional(LOG, "components", "mapping of components to levels");

    /**
     * The name that the sidecar gives itself in Via fields, by which it also recognises a request that comes round in a
     * loop. {@code auto} stands for {@code remora-} and six characters that differ from process to process: two sidecars
     * in a row under one name would take each other for a loop.
     */
    public static final Key VIA = Key.text(null, "via", "token", ProxyConfig.VIA_AUTO);

    /** The operator's listener. */
    public static final Key ADMIN_SECTION = Key.mapping(null, "admin");

    /**
     * Where the admin listener is bound. The default is on loopback because whoever can reach this listener can end the
     * process. {@code unix:/PATH} is a Unix socket, of which {@code socket} says who can.
     */
    public static final Key ADMIN_ADDRESS =
            Key.text(ADMIN_SECTION, "address", "address, or `unix:/PATH`", ADMIN.toString());

    /** Who may connect, where that is a Unix socket: the keys of {@code listeners[].socket}, but by default {@code mode: 0600}. */
    public static final Key ADMIN_SOCKET = Key.optional(ADMIN_SECTION, "socket", Key.MAPPING);

    /** Must be {@code true} before an address outside loopback is accepted. */
    public static final Choice<Boolean> ADMIN_ALLOW_REMOTE = Key.flag(ADMIN_SECTION, "allow-remote", false);

    /**
     * TLS for the admin listener, with the keys of {@code listeners[].tls}, but always with {@code mode: strict}. With
     * {@code client-certificates: required}, who has a certificate that leads to {@code trust} may do all that the listener offers.
     */
    public static final Key ADMIN_TLS = Key.mappingOrOff(ADMIN_SECTION, "tls");

    /** A listener that serves {@code /live} and {@code /ready} only, for probes that cannot reach loopback. */
    public static final Key HEALTH = Key.mappingOrOff(null, "health");

    /** Where the health listener is bound. */
    public static final Key HEALTH_ADDRESS = Key.required(HEALTH, "address", "address, or `unix:/PATH`");

    /** Who may connect, where that is a Unix socket: the keys of {@code listeners[].socket}. */
    public static final Key HEALTH_SOCKET = Key.optional(HEALTH, "socket", Key.MAPPING);

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
