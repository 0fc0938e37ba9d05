package io.remora.config.model;

import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything a sidecar is told, read whole and judged before a port is bound. Immutable.
 *
 * @param workers event loops of the data path, 1 or more
 * @param engine carries out attempts at every cluster
 * @param drainTimeoutNs how long exchanges in progress may take to finish once a drain has begun
 * @param drainIdleNs how long connections without a request may wait for a last one then
 * @param logLevel the least severe level that is written
 * @param logComponents the same of components that have a level of their own
 * @param viaName the pseudonym in Via fields (RFC 9110 7.6.3), a token, or {@link #VIA_AUTO}
 * @param clusters by name, in the order of the file
 * @param plugins null for none
 * @param finagle what is for that engine alone; null for nothing
 * @param warmUp null where the first requests come unprepared
 * @param takeover null where no other process may take over
 * @param watch whether the file is looked at for changes
 * @param watchdogLiveNs how long an event loop may stand still before the process is not live; {@link Limits#UNLIMITED} for ever
 * @param tracing null for none
 */
public record ProxyConfig(
        int workers,
        EngineKind engine,
        long drainTimeoutNs,
        long drainIdleNs,
        LogLevel logLevel,
        Map<LogComponent, LogLevel> logComponents,
        String viaName,
        AdminConfig admin,
        @Nullable HealthConfig health,
        @Nullable AccessLogConfig accessLog,
        List<ListenerConfig> listeners,
        Map<String, ClusterConfig> clusters,
        @Nullable PluginsConfig plugins,
        @Nullable FinagleConfig finagle,
        @Nullable TakeoverConfig takeover,
        @Nullable WarmUpConfig warmUp,
        boolean watch,
        long watchdogLiveNs,
        @Nullable TracingConfig tracing) {
    /** Names are metric labels and stand in every line of the access log. */
    public static final int MAX_NAME_CHARS = 64;

    /**
     * A name of this process's own, so that two sidecars that are both called nothing in particular are not taken for a
     * loop.
     */
    public static final String VIA_AUTO = "auto";

    /** The same with another engine. */
    public ProxyConfig with(EngineKind other) {
        return new ProxyConfig(
                workers,
                other,
                drainTimeoutNs,
                drainIdleNs,
                logLevel,
                logComponents,
                viaName,
                admin,
                health,
                accessLog,
                listeners,
                clusters,
                plugins,
                finagle,
                takeover,
                warmUp,
                watch,
                watchdogLiveNs,
                tracing);
    }

    /** This one, but with what only a start can change as it is in another one. */
    public ProxyConfig over(ProxyConfig running) {
        List<ListenerConfig> onSockets = new ArrayList<>();
        for (ListenerConfig listener : listeners) {
            onSockets.add(listener.over(running.listeners));
        }
        return new ProxyConfig(
                running.workers,
                running.engine,
                drainTimeoutNs,
                drainIdleNs,
                logLevel,
                logComponents,
                running.viaName,
                running.admin,
                running.health,
                running.accessLog,
                onSockets,
                clusters,
                running.plugins,
                running.finagle,
                running.takeover,
                running.warmUp,
                watch,
                running.watchdogLiveNs,
                tracing);
    }

    /** Of all clusters, those included by which sources of endpoints are asked, each behind the one that it is for. */
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

    /** Whether any cluster's endpoints are not in the configuration. */
    public boolean hasResolver() {
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.resolver() != null) {
                return true;
            }
        }
        return false;
    }

    /** The first cluster whose endpoints are where redirected connections were to go, null for none. */
    public @Nullable String capturing() {
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.capture() != null) {
                return cluster.name();
            }
        }
        return null;
    }

    /** Whether the sidecar binds the port, as far as the configuration says. */
    public boolean binds(int port) {
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

    /** Whether any client may speak HTTP/2. */
    public boolean hasHttp2Clients() {
        for (ListenerConfig listener : listeners) {
            if (listener.http2() != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether any endpoint may be spoken to in HTTP/2. */
    public boolean hasHttp2Backends() {
        for (ClusterConfig cluster : clusters.values()) {
            if (cluster.http2() != null) {
                return true;
            }
        }
        return false;
    }

    /** Whether anything speaks TLS. */
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
            if (cluster.tls() != null || cluster.sourceTls() != null) {
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
}
