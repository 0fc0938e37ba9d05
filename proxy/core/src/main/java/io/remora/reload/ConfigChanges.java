package io.remora.reload;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.ProxyConfig;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Differences between two configurations, in lines for an operator. Pure functions. */
final class ConfigChanges {
    private ConfigChanges() {}

    /**
     * @param read as the file has it
     * @param next the same, but for what only a start can change
     */
    static String text(ProxyConfig before, ProxyConfig read, ProxyConfig next) {
        StringBuilder text = new StringBuilder();
        listeners(text, before, next);
        sockets(text, read, next);
        clusters(text, before.clusters(), next.clusters());
        changed(text, "log-level", before.logLevel(), next.logLevel());
        changed(text, "log.components", before.logComponents(), next.logComponents());
        changed(text, "drain-idle", before.drainIdleNs(), next.drainIdleNs());
        changed(text, "drain-timeout", before.drainTimeoutNs(), next.drainTimeoutNs());
        changed(text, "reload.watch", before.watch(), next.watch());
        if (!Objects.equals(
                before.options().get(ProxyConfig.TRACING), next.options().get(ProxyConfig.TRACING))) {
            text.append("tracing: changed\n");
        }
        stays(text, "workers", before.workers(), read.workers());
        stays(text, "engine", before.engine(), read.engine());
        stays(text, "via", before.viaName(), read.viaName());
        stays(text, "admin", before.admin(), read.admin());
        stays(text, "health", before.health(), read.health());
        stays(text, before, read, ProxyConfig.ACCESS_LOG);
        stays(text, before, read, ProxyConfig.PLUGINS);
        stays(text, before, read, ProxyConfig.FINAGLE);
        stays(text, before, read, ProxyConfig.TAKEOVER);
        stays(text, "watchdog", before.watchdogLiveNs(), read.watchdogLiveNs());
        stays(text, before, read, ProxyConfig.WARM_UP);
        return text.isEmpty() ? "no differences\n" : text.toString();
    }

    private static void listeners(StringBuilder text, ProxyConfig before, ProxyConfig next) {
        for (ListenerConfig listener : next.listeners()) {
            ListenerConfig was = named(before, listener.name());
            String name = "listener " + listener.name() + ": ";
            if (was == null) {
                text.append(name).append("added on ").append(listener.address()).append('\n');
            } else if (!was.address().equals(listener.address())) {
                text.append(name).append("moved from ").append(was.address());
                text.append(" to ").append(listener.address()).append('\n');
            } else if (!was.equals(listener)) {
                text.append(name).append("changed\n");
            }
        }
        for (ListenerConfig listener : before.listeners()) {
            if (named(next, listener.name()) == null) {
                text.append("listener ").append(listener.name()).append(": removed, and drained\n");
            }
        }
    }

    private static void sockets(StringBuilder text, ProxyConfig read, ProxyConfig next) {
        for (ListenerConfig listener : read.listeners()) {
            ListenerConfig taken = named(next, listener.name());
            if (taken != null) {
                stays(text, "listener " + listener.name() + ": socket", taken.socket(), listener.socket());
            }
        }
    }

    private static void clusters(
            StringBuilder text, Map<String, ClusterConfig> before, Map<String, ClusterConfig> next) {
        for (ClusterConfig cluster : next.values()) {
            ClusterConfig was = before.get(cluster.name());
            if (!cluster.equals(was)) {
                text.append("cluster ").append(cluster.name());
                text.append(was == null ? ": added\n" : ": changed; its connections are reopened\n");
            }
        }
        for (ClusterConfig cluster : before.values()) {
            if (!next.containsKey(cluster.name())) {
                text.append("cluster ").append(cluster.name()).append(": removed\n");
            }
        }
    }

    private static void changed(StringBuilder text, String what, Object before, Object next) {
        if (!before.equals(next)) {
            text.append(what).append(": changed\n");
        }
    }

    private static void stays(StringBuilder text, ProxyConfig before, ProxyConfig read, Option<?> option) {
        stays(
                text,
                option.toString(),
                before.options().get(option),
                read.options().get(option));
    }

    private static void stays(StringBuilder text, String what, @Nullable Object before, @Nullable Object read) {
        if (!Objects.equals(before, read)) {
            text.append(what).append(": cannot change at runtime; it stays until a restart\n");
        }
    }

    private static @Nullable ListenerConfig named(ProxyConfig config, String name) {
        for (ListenerConfig listener : config.listeners()) {
            if (listener.name().equals(name)) {
                return listener;
            }
        }
        return null;
    }

    private static @Nullable Object announcement(ListenerConfig listener) {
        return listener.options().get(ListenerConfig.ANNOUNCE);
    }

    /**
     * Returns why the configuration cannot be applied live: it would change a listener that has been announced. Null
     * where it can.
     */
    static @Nullable String announced(ProxyConfig before, ProxyConfig next) {
        for (ListenerConfig was : before.listeners()) {
            ListenerConfig listener = named(next, was.name());
            boolean moves = listener == null || !was.address().equals(listener.address());
            if (announcement(was) != null && moves) {
                return "listener " + was.name() + ": it is announced and cannot be moved or removed at runtime";
            }
        }
        for (ListenerConfig listener : next.listeners()) {
            ListenerConfig was = named(before, listener.name());
            if (!Objects.equals(was == null ? null : announcement(was), announcement(listener))) {
                return "listener " + listener.name() + ": announce cannot change at runtime";
            }
        }
        return null;
    }
}
