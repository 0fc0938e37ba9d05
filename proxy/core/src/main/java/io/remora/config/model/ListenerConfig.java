package io.remora.config.model;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One bound address with the rules for the requests that arrive there.
 *
 * @param name unique among listeners; the metric label
 * @param path rules for paths that have more than one spelling; the paths of {@code routes} are in the spelling that it
 *     matches
 * @param routes in order: the first that matches wins
 * @param options that are off by default: the constants of this class, and those of features
 */
public record ListenerConfig(
        String name,
        Address address,
        HeaderPolicy headers,
        Limits limits,
        FrontendTimeouts timeouts,
        PathConfig path,
        List<RouteConfig> routes,
        Options options) {
    public static final Option<ListenerSecurity> TLS = Option.of("tls");

    /** Set where a peer is trusted; the trust feature has the details. */
    public static final Option<?> TRUST = Option.of("trust");

    /** One of which a client must have. Of routes, too. */
    public static final Option<List<String>> REQUIRED_IDENTITIES = Option.of("require-identity");

    /** Set where admission is adaptive; {@code exchange} has the details. */
    public static final Option<?> ADAPTIVE = Option.of("adaptive");

    /** Set where requests may say where their cluster's name leads; {@code finaglekeys} has the details. */
    public static final Option<?> REQUEST_DTAB = Option.of("request-dtab");

    /** Set where the listener is announced; {@code finaglekeys} has the details. */
    public static final Option<?> ANNOUNCE = Option.of("announce");

    /** Set where connections may begin with a PROXY header; {@code proxyprotocol} has the details. */
    public static final Option<?> PROXY_PROTOCOL = Option.of("proxy-protocol");

    public static final Option<Multiplexing> HTTP2 = Option.of("http2");

    /** Owner and mode of a Unix socket; a port has none. */
    public static final Option<SocketConfig> SOCKET = Option.of("socket");

    /** True where connections are tunnels from their first octet. */
    public static final Option<Boolean> TCP = Option.of("tcp");

    /** Set where a listener detects the protocol of its clients; {@code detect} has the details. */
    public static final Option<?> DETECT = Option.of("detect");

    /** True where clients learn which rule they, or endpoints, broke. */
    public static final Option<Boolean> DETAILED_ERRORS = Option.of("errors");

    /** True where the application's own requests come in. */
    public static final Option<Boolean> OUTBOUND = Option.of("outbound");

    /** The fate of requests whose client ends its side. */
    public static final Option<ClientHalfClose> CLIENT_HALF_CLOSE = Option.of("client-half-close");

    /** Returns the name of a listener that has none of its own, by its position from 1. */
    public static String nameByDefault(int position) {
        return "listener-" + position;
    }

    /** Returns the listener with other options. */
    public ListenerConfig with(Options others) {
        return new ListenerConfig(name, address, headers, limits, timeouts, path, routes, others);
    }

    /**
     * Returns the listener for connections that carry no requests, where the listener detects those.
     *
     * @param route of those
     */
    public ListenerConfig tunnels(RouteConfig route) {
        Options shared = options.only(TLS, REQUIRED_IDENTITIES, PROXY_PROTOCOL, SOCKET, OUTBOUND)
                .with(TCP, true);
        for (Object each : options.values()) {
            if (each instanceof TunnelOption own) {
                shared = own.addTo(shared);
            }
        }
        List<RouteConfig> tunnel = List.of(route);
        return new ListenerConfig(name, address, headers, limits, timeouts, PathConfig.DEFAULT, tunnel, shared);
    }

    /** Returns this listener with the Unix socket of the running one at its address, which a reload keeps. */
    ListenerConfig over(List<ListenerConfig> running) {
        for (ListenerConfig one : running) {
            if (address.isUnix() && one.address.equals(address) && !Objects.equals(one.socket(), socket())) {
                return with(options.with(SOCKET, one.socket()));
            }
        }
        return this;
    }

    /** Returns whether the listener or one of its routes has an option. */
    public boolean uses(Option<?> option) {
        return options.has(option) || RouteConfig.anyHas(routes, option);
    }

    // ---- the options that more than one place asks for

    /** Returns the TLS of clients' connections, null for plain HTTP. */
    public @Nullable ListenerSecurity tls() {
        return options.get(TLS);
    }

    /** Returns the identities of which a client needs one, empty where any client may come. */
    public List<String> requiredIdentities() {
        return options.get(REQUIRED_IDENTITIES, List.of());
    }

    /** Returns the settings of HTTP/2, null where only HTTP/1 is spoken. */
    public @Nullable Multiplexing http2() {
        return options.get(HTTP2);
    }

    /** Returns the file permissions of a Unix socket, null for a port. */
    public @Nullable SocketConfig socket() {
        return options.get(SOCKET);
    }

    public boolean tcp() {
        return options.has(TCP);
    }

    /** Returns whether the listener takes the application's own requests to others, and not those to the application. */
    public boolean isOutbound() {
        return options.has(OUTBOUND);
    }

    public ClientHalfClose clientHalfClose() {
        return options.get(CLIENT_HALF_CLOSE, ClientHalfClose.CANCEL);
    }

    /** Returns whether the listener detects the protocol of its clients. */
    public boolean detects() {
        return options.has(DETECT);
    }
}
