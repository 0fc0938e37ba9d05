package io.remora.config.text;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Multiplexing;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.model.PlacedText;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.SocketConfig;
import io.remora.config.yaml.SocketPart;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as it was understood, as YAML that the reader reads to the same configuration again: every default
 * filled in, every variable replaced. Only the values of header matches can be credentials; those whose field name says
 * so are shown as {@code ***}, and only these do not survive being read again. The sections of the page that are more than a few lines
 * are classes of their own, which write by what stands at the end of this one.
 */
public final class ConfigText extends KeyWriter {
    private final OffKeys off;

    private ConfigText(OffKeys off) {
        this.off = off;
    }

    /** Writes a configuration, and nothing of features that it does not have. */
    public static String render(ProxyConfig config) {
        return render(config, OffKeys.NONE);
    }

    public static String render(ProxyConfig config, OffKeys off) {
        ConfigText text = new ConfigText(off);
        text.proxy(config);
        return text.written();
    }

    private void proxy(ProxyConfig config) {
        new OperatorText(this).show(config);
        features(config.options(), null, off.top());
        section(ListenerKeys.LISTENERS);
        for (ListenerConfig listener : config.listeners()) {
            listener(listener);
        }
        section(ClusterKeys.CLUSTERS);
        for (ClusterConfig cluster : config.clusters().values()) {
            cluster(cluster);
        }
    }

    private void listener(ListenerConfig listener) {
        item(ListenerKeys.NAME, listener.name());
        text(ListenerKeys.ADDRESS, listener.address().toString());
        socket(ListenerKeys.SOCKET, listener.socket());
        plain(
                ListenerKeys.DIRECTION,
                listener.isOutbound() ? ListenerKeys.OUTBOUND : ListenerKeys.DIRECTION.fallbackText());
        if (listener.tcp()) {
            new TcpText(this).listener(listener);
            return;
        }
        if (listener.http2() == null) {
            plain(ListenerKeys.PROTOCOL, ListenerKeys.PROTOCOL.fallbackText());
        } else {
            http2(listener.http2(), listener.options());
        }
        put(ListenerKeys.CLIENT_HALF_CLOSE, listener.clientHalfClose());
        plain(
                ListenerKeys.ERRORS,
                listener.options().has(ListenerConfig.DETAILED_ERRORS)
                        ? ListenerKeys.DETAILED
                        : ListenerKeys.ERRORS.fallbackText());
        headers(listener.headers());
        put(ListenerKeys.PATH_MODE, listener.path().mode());
        if (!listener.path().refused().isEmpty()) {
            list(ListenerKeys.REFUSE_IN_PATH, Choice.names(listener.path().refused()), "");
        }
        limits(listener.limits());
        section(ListenerKeys.ADMISSION);
        placed(listener.options(), ListenerKeys.ADAPTIVE);
        placed(listener.options(), ListenerKeys.TLS);
        placed(listener.options(), ListenerKeys.PROXY_PROTOCOL);
        placed(listener.options(), ListenerKeys.REQUEST_DTAB);
        placed(listener.options(), ListenerKeys.ANNOUNCE);
        unlessEmpty(ListenerKeys.REQUIRE_IDENTITY, listener.requiredIdentities());
        placed(listener.options(), ListenerKeys.CLIENTS);
        features(listener.options(), ListenerKeys.LISTENERS, off.listeners());
        section(ListenerKeys.TIMEOUTS);
        put(ListenerKeys.HEADER_READ, listener.timeouts().headerReadNs());
        put(ListenerKeys.BODY_IDLE, listener.timeouts().bodyIdleNs());
        put(ListenerKeys.IDLE, listener.timeouts().idleNs());
        put(ListenerKeys.MAX_CONNECTION_AGE, listener.timeouts().maxAgeNs());
        put(ListenerKeys.TCP_KEEP_ALIVE, listener.timeouts().tcpKeepAlive());
        String callerHeader = listener.timeouts().callerHeader();
        text(ListenerKeys.CALLER_HEADER, callerHeader == null ? Key.OFF : callerHeader);
        section(ListenerKeys.ROUTES);
        for (RouteConfig route : listener.routes()) {
            new RouteText(this).route(route);
        }
    }

    /** Writes a socket under a key that need not be the one below which its keys are declared; nothing for a port. */
    void socket(Key key, @Nullable SocketConfig socket) {
        if (socket != null) {
            SocketPart.show(this, key, socket);
        }
    }

    private void headers(HeaderPolicy headers) {
        section(ListenerKeys.HEADERS);
        put(ListenerKeys.X_FORWARDED_FOR, headers.xForwardedFor());
        put(ListenerKeys.X_FORWARDED_PROTO, headers.xForwardedProto());
        put(ListenerKeys.X_FORWARDED_HOST, headers.xForwardedHost());
        put(ListenerKeys.FORWARDED, headers.forwarded());
        put(ListenerKeys.X_FORWARDED_CLIENT_CERT, headers.xForwardedClientCert());
        put(ListenerKeys.X_FORWARDED_CLIENT_CERT_PEM, headers.clientCertPem());
        put(ListenerKeys.X_REQUEST_ID, headers.requestId());
        put(ListenerKeys.UNDERSCORES_IN_HEADERS, headers.underscores());
    }

    private void limits(Limits limits) {
        section(ListenerKeys.LIMITS);
        put(ListenerKeys.CONNECTIONS, limits.connections());
        put(ListenerKeys.REQUEST_LINE, limits.requestLineBytes());
        put(ListenerKeys.HEADER_BLOCK, limits.headerBlockBytes());
        put(ListenerKeys.HEADER_FIELDS, limits.headerFields());
        put(ListenerKeys.BUFFER, limits.bufferBytes());
        put(ListenerKeys.IN_FLIGHT, limits.inFlightExchanges());
        put(ListenerKeys.BODY, limits.bodyBytes());
    }

    private void cluster(ClusterConfig cluster) {
        line(ClusterKeys.CLUSTERS.indent() + 2, quoted(cluster.name()), "");
        new BalancerText(this).cluster(cluster);
        if (cluster.tcp()) {
            new TcpText(this).cluster(cluster);
            return;
        }
        part(cluster.options(), ClusterConfig.TEMPLATE, ClusterKeys.TEMPLATE);
        put(ClusterKeys.MAX_CONNECTIONS, cluster.maxConnections());
        put(ClusterKeys.MAX_IDLE_CONNECTIONS, cluster.maxIdleConnections());
        section(ClusterKeys.LIMITS);
        put(ClusterKeys.HEADER_BLOCK, cluster.headerBlockBytes());
        put(ClusterKeys.BUFFER, cluster.bufferBytes());
        resilience(cluster.options());
        placed(cluster.options(), ClusterKeys.TLS);
        if (cluster.http2() == null) {
            plain(ClusterKeys.PROTOCOL, ClusterKeys.PROTOCOL.fallbackText());
        } else {
            placed(cluster.options(), ClusterKeys.HTTP2);
        }
        placed(cluster.options(), ClusterKeys.PROXY_PROTOCOL);
        section(ClusterKeys.TIMEOUTS);
        put(ClusterKeys.CONNECT, cluster.connectTimeoutNs());
        put(ClusterKeys.RESPONSE_HEADER, cluster.responseHeaderNs());
        put(ClusterKeys.IDLE, cluster.idleNs());
        put(ClusterKeys.MAX_CONNECTION_AGE, cluster.maxAgeNs());
        put(ClusterKeys.TCP_KEEP_ALIVE, cluster.tcpKeepAlive());
        features(cluster.options(), ClusterKeys.CLUSTERS);
    }

    void resilience(Options options) {
        placed(options, ClusterKeys.RETRIES);
        placed(options, ClusterKeys.ACCRUAL);
        put(ClusterKeys.PANIC_BELOW, options.get(ClusterConfig.PANIC_PERCENT, ClusterKeys.PANIC_BELOW.byDefault()));
        placed(options, ClusterKeys.BREAKERS);
        placed(options, ClusterKeys.HEALTH_CHECK);
    }

    /** Writes the option of a feature under a key, and {@code off} where there is none. */
    void placed(Options options, Key key) {
        PlacedOption.show(this, options, key);
    }

    /** Writes the part that stands below a key, and returns whether there is one. */
    boolean part(Options options, Option<?> option, Key key) {
        if (options.get(option) instanceof PlacedOption part) {
            part.show(this, key);
            return true;
        }
        return false;
    }

    /** Writes the options that features own, below a key; null for the top of the file. */
    void features(Options options, @Nullable Key parent) {
        for (Object option : options.values()) {
            if (option instanceof ShownOption own) {
                own.show(this, parent);
            }
        }
    }

    /** Writes the features, with the keys of those that are off. */
    private void features(Options options, @Nullable Key parent, Map<String, String> ifOff) {
        features(options, parent);
        for (Map.Entry<String, String> one : ifOff.entrySet()) {
            if (!options.has(Option.of(one.getKey()))) {
                plain(Key.text(parent, one.getKey(), "", one.getValue()), one.getValue());
            }
        }
    }

    void optional(Key key, @Nullable PlacedText value) {
        if (value != null) {
            text(key, value.text());
        }
    }

    private void http2(Multiplexing http2, Options options) {
        boolean detects = options.has(ListenerConfig.DETECT);
        plain(ListenerKeys.PROTOCOL, http2.alone() ? "http2" : detects ? "detect" : "auto");
        if (detects) {
            placed(options, ListenerKeys.DETECT);
        }
        placed(options, ListenerKeys.HTTP2);
    }
}
