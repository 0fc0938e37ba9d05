package io.remora.config;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as it was understood, as YAML that the reader reads to the same configuration again: every default
 * filled in, every variable replaced. Only the values of header matches can be credentials; those whose field name says
 * so are shown as {@code ***}, and only these do not survive being read again.
 */
public final class ConfigText {
    private static final String MASK = "***";

    private static final String[] CREDENTIALS = {"authorization", "cookie", "token", "secret", "password", "key"};

    private final StringBuilder out = new StringBuilder();

    private ConfigText() {}

    public static String render(ProxyConfig config) {
        ConfigText text = new ConfigText();
        text.proxy(config);
        return text.out.toString();
    }

    private void proxy(ProxyConfig config) {
        line(0, "workers", config.workers());
        line(0, "drain-timeout", duration(config.drainTimeoutNs()));
        line(0, "log-level", lower(config.logLevel()));
        line(0, "via", text(config.viaName()));
        line(0, "admin");
        line(2, "address", text(config.admin().address().toString()));
        line(2, "allow-remote", config.admin().allowRemote());
        health(config.health());
        accessLog(config.accessLog());
        line(0, "listeners");
        for (ListenerConfig listener : config.listeners()) {
            listener(listener);
        }
        line(0, "clusters");
        for (ClusterConfig cluster : config.clusters().values()) {
            cluster(cluster);
        }
    }

    private void health(@Nullable HealthConfig health) {
        if (health == null) {
            line(0, "health", "off");
        } else {
            line(0, "health");
            line(2, "address", text(health.address().toString()));
        }
    }

    private void accessLog(@Nullable AccessLogConfig accessLog) {
        if (accessLog == null) {
            line(0, "access-log", "off");
        } else {
            line(0, "access-log");
            line(2, "format", lower(accessLog.format()));
            line(2, "output", text(accessLog.output()));
            line(2, "queue", accessLog.queueEntries());
        }
    }

    private void listener(ListenerConfig listener) {
        line(2, "- name", text(listener.name()));
        line(4, "address", text(listener.address().toString()));
        headers(listener.headers());
        limits(listener.limits());
        line(4, "timeouts");
        line(6, "header-read", duration(listener.timeouts().headerReadNs()));
        line(6, "body-idle", duration(listener.timeouts().bodyIdleNs()));
        line(6, "idle", duration(listener.timeouts().idleNs()));
        line(4, "routes");
        for (RouteConfig route : listener.routes()) {
            route(route);
        }
    }

    private void headers(HeaderPolicy headers) {
        line(4, "headers");
        line(6, "x-forwarded-for", lower(headers.xForwardedFor()));
        line(6, "x-forwarded-proto", lower(headers.xForwardedProto()));
        line(6, "x-forwarded-host", lower(headers.xForwardedHost()));
        line(6, "forwarded", lower(headers.forwarded()));
        line(6, "x-request-id", lower(headers.requestId()));
    }

    private void limits(Limits limits) {
        line(4, "limits");
        line(6, "connections", limits.connections());
        line(6, "request-line", size(limits.requestLineBytes()));
        line(6, "header-block", size(limits.headerBlockBytes()));
        line(6, "header-fields", limits.headerFields());
        line(6, "pipelined-requests", limits.pipelinedRequests());
        line(6, "buffer", size(limits.bufferBytes()));
        line(6, "in-flight", limits.inFlightExchanges());
        line(6, "body", limits.bodyBytes() == Limits.UNLIMITED ? "off" : size(limits.bodyBytes()));
    }

    private void route(RouteConfig route) {
        line(6, "- name", text(route.name()));
        RouteMatch match = route.match();
        indent(8).append(isEverything(match) ? "match: {}\n" : "match:\n");
        optional(10, "host", match.host());
        optional(10, "path", match.path());
        optional(10, "prefix", match.pathPrefix());
        optional(10, "method", match.method());
        if (!match.headers().isEmpty()) {
            line(10, "headers");
        }
        for (Map.Entry<String, String> header : match.headers().entrySet()) {
            String value = isCredential(header.getKey()) ? MASK : header.getValue();
            line(12, quoted(header.getKey()), text(value));
        }
        line(8, "cluster", text(route.cluster()));
    }

    private static boolean isEverything(RouteMatch match) {
        return match.host() == null
                && match.path() == null
                && match.pathPrefix() == null
                && match.method() == null
                && match.headers().isEmpty();
    }

    private void cluster(ClusterConfig cluster) {
        line(2, quoted(cluster.name()));
        line(4, "endpoints");
        for (Address endpoint : cluster.endpoints()) {
            indent(6).append("- ").append(text(endpoint.toString())).append('\n');
        }
        line(4, "max-connections", cluster.maxConnections());
        line(4, "max-idle-connections", cluster.maxIdleConnections());
        line(4, "limits");
        line(6, "header-block", size(cluster.headerBlockBytes()));
        line(6, "buffer", size(cluster.bufferBytes()));
        line(4, "timeouts");
        line(6, "connect", duration(cluster.connectTimeoutNs()));
        line(6, "response-header", duration(cluster.responseHeaderNs()));
        line(6, "idle", duration(cluster.idleNs()));
    }

    private static boolean isCredential(String header) {
        for (String word : CREDENTIALS) {
            if (header.contains(word)) {
                return true;
            }
        }
        return false;
    }

    private void optional(int indent, String key, @Nullable String value) {
        if (value != null) {
            line(indent, key, text(value));
        }
    }

    private void line(int indent, String key) {
        indent(indent).append(key).append(":\n");
    }

    private void line(int indent, String key, Object value) {
        indent(indent).append(key).append(": ").append(value).append('\n');
    }

    private StringBuilder indent(int spaces) {
        for (int i = 0; i < spaces; i++) {
            out.append(' ');
        }
        return out;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String duration(long ns) {
        return Units.DURATION.format(ns);
    }

    private static String size(long bytes) {
        return Units.SIZE.format(bytes);
    }

    /** A value as the reader takes it: without variables, and in quotes where YAML could see more than text in it. */
    private static String text(String value) {
        return quoted(value.replace("${", "$${"));
    }

    private static String quoted(String text) {
        boolean plain = !text.isEmpty() && isWordChar(text.charAt(0)) && !text.endsWith(":");
        for (int i = 0; i < text.length(); i++) {
            plain &= isWordChar(text.charAt(i)) || "._-:".indexOf(text.charAt(i)) >= 0;
        }
        if (plain) {
            return text;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                quoted.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                quoted.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private static boolean isWordChar(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/';
    }
}
