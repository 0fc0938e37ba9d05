package io.remora.config.model;

import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration of a sidecar, read whole and judged before a port is bound. Immutable.
 *
 * @param workers event loops of the data path, 1 or more
 * @param engine carries out attempts at every cluster
 * @param drainTimeoutNs how long exchanges in progress may take to finish once a drain has begun
 * @param drainIdleNs how long connections without a request may wait for a last one then
 * @param logLevel the least severe level that is written
 * @param watchdogLiveNs how long an event loop may stand still before the process is not live; {@link Limits#UNLIMITED}
 *     for ever
 * @param clusters by name, in the order of the file
 * @param options that are off by default: the constants of this class
 */
public record ProxyConfig(
        int workers,
        EngineKind engine,
        long drainTimeoutNs,
        long drainIdleNs,
        LogLevel logLevel,
        long watchdogLiveNs,
        AdminConfig admin,
        List<ListenerConfig> listeners,
        Map<String, ClusterConfig> clusters,
        Options options) {
    /** The level of components that have one of their own. */
    public static final Option<Map<LogComponent, LogLevel>> LOG_COMPONENTS = Option.of("components");

    /** The pseudonym in Via fields (RFC 9110 7.6.3), a token other than {@link #VIA_AUTO}. */
    public static final Option<String> VIA = Option.of("via");

    public static final Option<HealthConfig> HEALTH = Option.of("health");

    /** Set where exchanges are logged; {@code log} has the details. */
    public static final Option<?> ACCESS_LOG = Option.of("access-log");

    /** Set where users' filters run in another engine; {@code finaglekeys} has the details. */
    public static final Option<?> PLUGINS = Option.of("plugins");

    /** Settings of Finagle's engine; {@code finaglekeys} has the details. */
    public static final Option<?> FINAGLE = Option.of("finagle");

    /** Set where another process may take over; {@code takeover} has the details. */
    public static final Option<?> TAKEOVER = Option.of("takeover");

    /** Set where the sidecar makes requests of its own before it is ready; {@code warmupkeys} has the details. */
    public static final Option<?> WARM_UP = Option.of("warm-up");

    /** Set by the command line where applications' probes are carried out; {@code probes} has the details. */
    public static final Option<?> APP_PROBES = Option.of("app-probes");

    /** True where changes of the file are followed. */
    public static final Option<Boolean> WATCH = Option.of("watch");

    /** Set where requests are traced; the tracing feature has the details. */
    public static final Option<?> TRACING = Option.of("tracing");

    /** Names are metric labels and stand in every line of the access log. */
    public static final int MAX_NAME_CHARS = 64;

    /**
     * A name of this process's own, so that two sidecars that are both called nothing in particular are not taken for a
     * loop.
     */
    public static final String VIA_AUTO = "auto";

    /** Options that only a start can change, as it alone can the components. */
    private static final Option<?>[] AT_START = {
        VIA, HEALTH, APP_PROBES, ACCESS_LOG, PLUGINS, FINAGLE, TAKEOVER, WARM_UP
    };

    /** Returns the same configuration with other options. */
    public ProxyConfig with(Options others) {
        return copy(this, engine, logLevel, admin, listeners, others);
    }

    /** Returns the same configuration with another engine. */
    public ProxyConfig with(EngineKind other) {
        return copy(this, other, logLevel, admin, listeners, options);
    }

    /** Returns the same configuration with another admin listener. */
    public ProxyConfig with(AdminConfig other) {
        return copy(this, engine, logLevel, other, listeners, options);
    }

    /** Returns the same configuration with another level of the log. */
    public ProxyConfig with(LogLevel other) {
        return copy(this, engine, other, admin, listeners, options);
    }

    /** Returns this configuration with the settings of another one that only a start can change. */
    public ProxyConfig over(ProxyConfig running) {
        List<ListenerConfig> onSockets = new ArrayList<>();
        for (ListenerConfig listener : listeners) {
            onSockets.add(listener.over(running.listeners));
        }
        Options all = options.over(running.options, AT_START);
        return copy(running, running.engine, logLevel, running.admin, onSockets, all);
    }

    /** Returns a copy with the workers and the watchdog of a running one. */
    private ProxyConfig copy(
            ProxyConfig running,
            EngineKind itsEngine,
            LogLevel itsLevel,
            AdminConfig itsAdmin,
            List<ListenerConfig> itsListeners,
            Options itsOptions) {
        return new ProxyConfig(
                running.workers,
                itsEngine,
                drainTimeoutNs,
                drainIdleNs,
                itsLevel,
                running.watchdogLiveNs,
                itsAdmin,
                itsListeners,
                clusters,
                itsOptions);
    }

    /**
     * Returns the names of all clusters, with those through which sources of endpoints are read, each behind the one
     * that it is for.
     */
    public List<String> clusterNames() {
        List<String> names = new ArrayList<>();
        for (ClusterConfig cluster : clusters.values()) {
            names.add(cluster.name());
            String source = cluster.sourceName();
            if (source != null) {
                names.add(source);
            }
        }
        return names;
    }

    /** Returns whether any cluster's endpoints are not in the configuration. */
    public boolean hasResolver() {
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.has(ClusterConfig.RESOLVER)) {
                return true;
            }
        }
        return false;
    }

    /** The first cluster whose endpoints are where redirected connections were to go, null for none. */
    public @Nullable String capturing() {
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.captures()) {
                return cluster.name();
            }
        }
        return null;
    }

    /** Returns whether the sidecar binds the port, as far as the configuration says. */
    public boolean binds(int port) {
        HealthConfig health = health();
        if (admin.address().port() == port || health != null && health.address().port() == port) {
            return true;
        }
        for (ListenerConfig listener : listeners) {
            if (!listener.address().isUnix() && listener.address().port() == port) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether any client may speak HTTP/2. */
    public boolean hasHttp2Clients() {
        for (ListenerConfig listener : listeners) {
            if (listener.http2() != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether any endpoint may speak HTTP/2. */
    public boolean hasHttp2Backends() {
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.http2() != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether anything speaks TLS. */
    public boolean hasTls() {
        if (admin.tls() != null) {
            return true;
        }
        for (ListenerConfig listener : listeners) {
            if (listener.tls() != null) {
                return true;
            }
        }
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.has(ClusterConfig.TLS) || cluster.has(ClusterConfig.SOURCE_TLS)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the text may be a name. */
    public static boolean isName(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Ascii.isAlphanumeric(c) && "._-/".indexOf(c) < 0) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= MAX_NAME_CHARS;
    }

    // ---- the options

    public Map<LogComponent, LogLevel> logComponents() {
        return options.get(LOG_COMPONENTS, Map.of());
    }

    public String viaName() {
        return options.get(VIA, VIA_AUTO);
    }

    /** Returns the health server, null where only the admin server says how the process is. */
    public @Nullable HealthConfig health() {
        return options.get(HEALTH);
    }

    public boolean watch() {
        return options.has(WATCH);
    }
}
