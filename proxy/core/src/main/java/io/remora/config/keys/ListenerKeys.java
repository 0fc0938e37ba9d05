package io.remora.config.keys;

import io.remora.config.model.ClientHalfClose;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteConfig;

/** The keys of {@code listeners}, in the order of the page. */
public final class ListenerKeys {
    /** Modes of a field that names the origin of a request. */
    private static final ForwardingMode[] MODES = {ForwardingMode.OFF, ForwardingMode.APPEND, ForwardingMode.REPLACE};

    /** Modes of a field that identifies the client. */
    private static final ForwardingMode[] CERTIFICATE_MODES = {
        ForwardingMode.SANITIZE, ForwardingMode.APPEND, ForwardingMode.REPLACE
    };

    /** List of listeners, at least one. */
    public static final Key LISTENERS = Key.required(null, "listeners", Key.LIST);

    /**
     * Unique name of the listener in metrics and access logs. Defaults to {@code listener-} and the position in the
     * list.
     */
    public static final Key NAME = Key.text(LISTENERS, "name", "name", ListenerConfig.nameByDefault(1));

    /**
     * Address to listen on: a host and a port, or {@code unix:/PATH} for a Unix socket. See
     * [tcp.md](tcp.md#unix-sockets).
     */
    public static final Key ADDRESS = Key.required(LISTENERS, "address", "address, or `unix:/PATH`");

    /**
     * Permissions and owner of the Unix socket, if {@code address} is one. They determine which processes can connect.
     */
    public static final Key SOCKET = Key.mapping(LISTENERS, "socket");

    /**
     * Direction of the traffic relative to the application: {@code inbound} for requests to the application, {@code
     * outbound} for requests that the application sends. {@code POST /drain?direction=inbound} only drains inbound
     * listeners, so that an application can still make calls while it shuts down.
     */
    public static final Key DIRECTION = Key.text(LISTENERS, "direction", "`inbound` or `outbound`", "inbound");

    /**
     * Protocol of the clients. {@code http1} means HTTP/1. {@code http2} means HTTP/2, negotiated with ALPN if TLS is
     * enabled and with prior knowledge otherwise. {@code auto} supports both on one port: it uses ALPN if {@code tls}
     * is set, and otherwise the first bytes of the connection. {@code tcp} forwards any other protocol unchanged.
     * {@code detect} supports all of them on one port. The classes for HTTP/2 and TCP are only loaded when they are
     * used, and HTTP/2 takes more memory. See [http2.md](http2.md), [tcp.md](tcp.md) and
     * [capture.md](capture.md#what-is-spoken).
     */
    public static final Key PROTOCOL =
            Key.text(LISTENERS, "protocol", "`http1`, `http2`, `auto`, `tcp` or `detect`", "http1");

    /**
     * Handling of connections that do not carry HTTP. Required with {@code protocol: detect}, and not allowed
     * otherwise.
     */
    public static final Key DETECT = Key.mapping(LISTENERS, "detect");

    /** Limits for HTTP/2 connections. Requires {@code protocol: http2}, {@code auto} or {@code detect}. */
    public static final Key HTTP2 = Key.mapping(LISTENERS, "http2");

    /** Cluster for all requests. Use it instead of {@code routes}. */
    public static final Key CLUSTER = Key.optional(LISTENERS, "cluster", "name of a cluster");

    /**
     * Fields that are added to requests. With {@code off}, a field is forwarded as the client sent it. {@code append}
     * adds the value of this hop, and {@code replace} overwrites the field. With {@code trust}, the fields of untrusted
     * peers are removed first.
     */
    public static final Key HEADERS = Key.mapping(LISTENERS, "headers");

    /**
     * X-Forwarded-For, the client address. {@code append} adds the peer address and keeps the list of previous proxies.
     * {@code replace} sets the client address as determined by {@code trust}; use it at the edge of a network.
     */
    public static final Choice<ForwardingMode> X_FORWARDED_FOR =
            new Choice<>(HEADERS, "x-forwarded-for", MODES, ForwardingMode.APPEND);

    /**
     * X-Forwarded-Proto, the scheme of the connection: {@code https} if it uses TLS. Otherwise like {@code
     * x-forwarded-for}.
     */
    public static final Choice<ForwardingMode> X_FORWARDED_PROTO =
            new Choice<>(HEADERS, "x-forwarded-proto", MODES, ForwardingMode.APPEND);

    /** X-Forwarded-Host, the host of the client request. Otherwise like {@code x-forwarded-for}. */
    public static final Choice<ForwardingMode> X_FORWARDED_HOST =
            new Choice<>(HEADERS, "x-forwarded-host", MODES, ForwardingMode.APPEND);

    /**
     * Forwarded (RFC 7239), which combines the address, scheme and host of the X-Forwarded fields. Off by default
     * because it repeats their content.
     */
    public static final Choice<ForwardingMode> FORWARDED =
            new Choice<>(HEADERS, "forwarded", MODES, ForwardingMode.OFF);

    /**
     * X-Forwarded-Client-Cert, with the digest, subject and names of the client certificate. {@code sanitize} removes
     * the field that the client sent. {@code replace} sets the certificate of this connection, and {@code append} adds
     * it to the field of a trusted peer. Untrusted values are always removed, because applications use this field for
     * authentication.
     */
    public static final Choice<ForwardingMode> X_FORWARDED_CLIENT_CERT =
            new Choice<>(HEADERS, "x-forwarded-client-cert", CERTIFICATE_MODES, ForwardingMode.SANITIZE);

    /**
     * Adds the client certificate in PEM format, percent-encoded, as {@code Cert}, for applications that need more than
     * names. Off by default because it adds 1 to 3 KiB per request, and many applications only accept header sections
     * of 8 KiB.
     */
    public static final Choice<Boolean> X_FORWARDED_CLIENT_CERT_PEM =
            Key.flag(HEADERS, "x-forwarded-client-cert-pem", false);

    /**
     * Format of the X-Request-Id that is added to requests without one. ULIDs are sortable by time and shorter than
     * UUIDs.
     */
    public static final Choice<RequestIdMode> X_REQUEST_ID =
            new Choice<>(HEADERS, "x-request-id", RequestIdMode.values(), RequestIdMode.ULID);

    /**
     * Handling of request fields with an underscore in the name. {@code pass} forwards them, as RFC 9110 5.1 requires
     * for unrecognised fields. {@code drop} removes them, and {@code reject} returns 400. Use these for CGI-like
     * applications, which cannot distinguish {@code Transfer_Encoding} from {@code Transfer-Encoding}. The sidecar
     * always rejects framing, forwarding and identity fields that are spelled with {@code _} instead of {@code -}.
     */
    public static final Choice<Underscores> UNDERSCORES_IN_HEADERS =
            new Choice<>(LISTENERS, "underscores-in-headers", Underscores.values(), Underscores.PASS);

    /**
     * Handling of paths with several spellings (RFC 3986 6.2.2), such as {@code /%61dmin} and {@code /x/../admin} for
     * {@code /admin}. With {@code both}, a path is forwarded as sent if its normalized form matches the same route;
     * otherwise the client gets 400. With {@code as-sent}, routes match the path as sent. With {@code normalize},
     * routes match the normalized path, which is forwarded. With {@code refuse}, the client gets 400 if the path is not
     * normalized. See [routing.md](routing.md#path-normalization).
     */
    public static final Choice<PathConfig.Mode> PATH_MODE =
            new Choice<>(LISTENERS, "path", PathConfig.Mode.values(), PathConfig.Mode.BOTH);

    /**
     * Separators that are not allowed in paths, because some applications treat them as a slash or as the end of a
     * segment. Values are {@code double-slash}, {@code encoded-slash} ({@code %2F}), {@code semicolon} and {@code
     * backslash}. The last two are also rejected if they are encoded. The client gets 400. See
     * [routing.md](routing.md#path-normalization).
     */
    public static final Key REFUSE_IN_PATH = Key.optional(LISTENERS, "refuse-in-path", "list of separators");

    /**
     * Handling of an HTTP/1 client that half-closes its connection (FIN) while it waits for a response. {@code cancel}
     * assumes that the client has disconnected, and cancels the request, including the request to the endpoint. {@code
     * serve} sends the response, as long as data moves within {@code timeouts.idle}. The default is {@code cancel},
     * because most such clients have disconnected. Pipelined requests are always answered. Tunnels and upgrade requests
     * are not affected. See [http-conformance.md](http-conformance.md#half-closed-client-connections).
     */
    public static final Choice<ClientHalfClose> CLIENT_HALF_CLOSE =
            new Choice<>(LISTENERS, "client-half-close", ClientHalfClose.values(), ClientHalfClose.CANCEL);

    /**
     * Detail of error responses. {@code detailed} adds the HTTP rule that the client or the endpoint violated, in
     * {@code Remora-Reason} and in the body. Logs always contain the rule. See
     * [http-conformance.md](http-conformance.md#rule-names).
     */
    public static final Key ERRORS = Key.text(LISTENERS, "errors", "`plain` or `detailed`", "plain");

    public static final String DETAILED = "detailed";
    public static final String OUTBOUND = "outbound";
    public static final String TCP = "tcp";

    /** Limits for client connections and requests. */
    public static final Key LIMITS = Key.mapping(LISTENERS, "limits");

    /**
     * Maximum number of open connections. At the limit, the listener stops accepting, and new connections wait in the
     * backlog of the kernel. The default is more than one application usually serves. If a memory limit allows fewer
     * connections, those that have been idle the longest are closed first.
     */
    public static final ValueKey<Integer> CONNECTIONS =
            Key.count(LIMITS, "connections", 1, Key.MAX_COUNT, Limits.CONNECTIONS_BY_DEFAULT);

    /**
     * Maximum size of the request line. Longer ones get status 414. The default is the largest value that common
     * servers accept.
     */
    public static final ValueKey<Integer> REQUEST_LINE = Key.heldBytes(LIMITS, "request-line", 8 << 10);

    /**
     * Maximum size of all field lines of a request. Larger header sections get status 431. The default has room for
     * large cookies and tokens, but limits the memory that one client can use.
     */
    public static final ValueKey<Integer> HEADER_BLOCK = Key.heldBytes(LIMITS, "header-block", 32 << 10);

    /**
     * Maximum number of field lines in a request. Requests with more get status 431. The default is three times the
     * number that browsers and meshes send.
     */
    public static final ValueKey<Integer> HEADER_FIELDS =
            Key.count(LIMITS, "header-fields", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Number of bytes buffered per direction of a client connection before the sidecar stops reading from the sender.
     * This includes response data that waits for the client, and request data from a single read. The default keeps a
     * fast network busy for one turn of the event loop. Bodies use at most twice this value times {@code connections}.
     */
    public static final ValueKey<Integer> BUFFER = Key.heldBytes(LIMITS, "buffer", 32 << 10);

    /**
     * Maximum number of concurrent exchanges. Further requests get 503 with Retry-After, which helps an overloaded
     * application more than a longer queue. A memory limit can reduce this number.
     */
    public static final ValueKey<Integer> IN_FLIGHT =
            Key.count(LIMITS, "in-flight", 1, Key.MAX_COUNT, Limits.IN_FLIGHT_BY_DEFAULT);

    /**
     * Maximum size of a request body. Larger bodies get status 413. Bodies are streamed, so that their size does not
     * affect memory.
     */
    public static final ValueKey<Long> BODY = Key.bytesOrOff(LIMITS, "body");

    /** Further limits on admitted requests, in addition to {@code limits.in-flight}. */
    public static final Key ADMISSION = Key.mapping(LISTENERS, "admission");

    /**
     * Adaptive limit on the number of requests that wait for the backend. The limit falls when more requests only
     * increase the latency, and rises again afterwards. Requests above it get 503 with Retry-After. Use {@code {}} to
     * enable it with the defaults below. See [resilience.md](resilience.md).
     */
    public static final Key ADAPTIVE = Key.mappingOrOff(ADMISSION, "adaptive");

    /**
     * TLS for client connections. A reload applies changes to new connections; changed certificate files do not need a
     * reload. See [tls.md](tls.md).
     */
    public static final Key TLS = Key.mappingOrOff(LISTENERS, "tls");

    /**
     * Accepts the PROXY protocol, version 1 or 2, from load balancers or proxies in front of the listener. Connections
     * from the networks in {@code from} must start with the header, before TLS, and are closed otherwise. Connections
     * from other networks are accepted without a header. Logs, X-Forwarded-For and {@code trust} use the client address
     * from the header. See [trust.md](trust.md#the-proxy-protocol).
     */
    public static final Key PROXY_PROTOCOL = Key.mappingOrOff(LISTENERS, "proxy-protocol");

    /**
     * Allows requests from trusted peers to override the destination of a cluster name with a dtab in {@code
     * Dtab-Local}, {@code l5d-dtab} or {@code Remora-Dtab}. Requires {@code trust} and {@code engine: finagle}. See
     * [engines.md](engines.md#per-request-dtabs).
     */
    public static final Key REQUEST_DTAB = Key.mappingOrOff(LISTENERS, "request-dtab");

    /**
     * Announces the listener as a member of a ZooKeeper serverset while it accepts requests. Requires {@code engine:
     * finagle}. See [engines.md](engines.md#announcing-a-listener).
     */
    public static final Key ANNOUNCE = Key.mappingOrOff(LISTENERS, "announce");

    /**
     * Identities that are accepted from client certificates. Other clients get 403. Use exact values, or {@code
     * spiffe://DOMAIN/PATH/*} for all identities below a path. Requires {@code client-certificates}.
     */
    public static final Key REQUIRE_IDENTITY = Key.optional(LISTENERS, "require-identity", "list of identities");

    /**
     * Allows or denies clients based on their address, as determined by {@code trust} and {@code proxy-protocol}.
     * Denied clients get 403, or a connection reset with {@code protocol: tcp}. See
     * [limits.md](limits.md#limits-per-client-address).
     */
    public static final Key CLIENTS = Key.mappingOrOff(LISTENERS, "clients");

    /** Timeouts for client connections. */
    public static final Key TIMEOUTS = Key.mapping(LISTENERS, "timeouts");

    /**
     * Maximum time from the first byte of a request to the end of its header section. After that, the client gets 408.
     * A header section fits into one or two packets, so that slower clients most likely hold connections open on
     * purpose.
     */
    public static final ValueKey<Long> HEADER_READ = Key.durationNs(TIMEOUTS, "header-read", 10_000_000_000L);

    /**
     * Maximum time without data in either direction while a body is transferred. After the default time, the peer can
     * be considered disconnected.
     */
    public static final ValueKey<Long> BODY_IDLE = Key.durationNs(TIMEOUTS, "body-idle", 30_000_000_000L);

    /**
     * Maximum time that a connection can be idle between requests. The default is longer than that of common clients
     * and load balancers, so that they close the connection first.
     */
    public static final ValueKey<Long> IDLE = Key.durationNs(TIMEOUTS, "idle", 300_000_000_000L);

    /**
     * Maximum age of a connection, reduced by up to 10 % at random so that connections do not close all at once. After
     * that, the next response contains {@code Connection: close}, or the connection closes when it is idle for one
     * second. Exchanges in progress and upgraded connections are not cut. With {@code client-certificates: optional} or
     * {@code required}, the default is {@code 1h}, because identity and trust are only checked when a client connects.
     */
    public static final ValueKey<Long> MAX_CONNECTION_AGE = Key.durationOrOffNs(TIMEOUTS, "max-connection-age");

    /**
     * Enables TCP keepalive for client connections. The {@code net.ipv4.tcp_keepalive_*} settings in the network
     * namespace of the sidecar define the times. By default, Linux sends the first probe after two hours.
     */
    public static final Choice<Boolean> TCP_KEEP_ALIVE = Key.flag(TIMEOUTS, "tcp-keep-alive", false);

    /**
     * Field in which clients send their timeout, such as {@code l5d-timeout} or {@code x-envoy-upstream-rq-timeout-ms}.
     * The value is in whole milliseconds, or a duration such as {@code 250ms} or {@code 1.5s}. It can reduce the {@code
     * timeouts.total} of the route, but not increase it. The remaining time is forwarded in the same field. With {@code
     * trust}, only trusted peers can use this field.
     */
    public static final Key CALLER_HEADER = Key.text(TIMEOUTS, "caller-header", "name of a field, or off", "off");

    /**
     * List of routes, at least one unless {@code cluster} is set. The first match wins, so that a route without {@code
     * match} must be the last one.
     */
    public static final Key ROUTES = Key.required(LISTENERS, "routes", Key.LIST);

    /** Name of the route in the access log. Defaults to the name of the listener and the position. */
    public static final Key ROUTE_NAME =
            Key.text(ROUTES, "name", "name", RouteConfig.nameByDefault(ListenerConfig.nameByDefault(1), 1));

    /**
     * Cluster for the requests of this route. You can use {@code clusters}, {@code redirect} or {@code respond}
     * instead.
     */
    public static final Key ROUTE_CLUSTER = Key.required(ROUTES, "cluster", "name of a cluster");

    /**
     * Clusters among which requests are split by weight, at most 32. All attempts for a request use the same cluster.
     * See [routing.md](routing.md).
     */
    public static final Key ROUTE_CLUSTERS = Key.optional(ROUTES, "clusters", Key.LIST);

    /**
     * Selects the cluster based on the host of the request. Requires a template in {@code cluster}. The route only
     * matches hosts of the template. See [outbound.md](outbound.md).
     */
    public static final Key ROUTE_CLUSTER_FROM = Key.optional(ROUTES, "cluster-from", "`host`");

    /**
     * Identities that are accepted for the requests of this route, in addition to {@code require-identity} of the
     * listener.
     */
    public static final Key ROUTE_REQUIRE_IDENTITY = Key.optional(ROUTES, "require-identity", "list of identities");

    /** Allows or denies clients for the requests of this route, in addition to {@code clients} of the listener. */
    public static final Key ROUTE_CLIENTS = Key.optional(ROUTES, "clients", Key.MAPPING_OR_OFF);

    /**
     * Retry settings for this route instead of {@code retries} of the cluster; {@code off} disables them. The retry
     * budget of the cluster still applies.
     */
    public static final Key ROUTE_RETRIES = Key.optional(ROUTES, "retries", Key.MAPPING_OR_OFF);

    /**
     * Delegation table for the requests of this route, if the cluster has {@code dest}. It takes precedence over {@code
     * finagle.dtab}. Requires {@code engine: finagle}. See [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key ROUTE_DTAB = Key.optional(ROUTES, "dtab", "dtab, such as `/s/app => /#/canary`");

    /** Timeouts for the requests of this route. */
    public static final Key ROUTE_TIMEOUTS = Key.mapping(ROUTES, "timeouts");

    /**
     * Maximum time from the first byte of the request to the last byte of the response, including all attempts. After
     * that, the client gets 504, or the response is cut if it has started. Upgraded connections are not limited.
     */
    public static final ValueKey<Long> TOTAL = Key.durationOrOffNs(ROUTE_TIMEOUTS, "total");

    /**
     * Timeout for each attempt, up to the header section of its final response. It starts with the attempt, or when the
     * request is complete if that is later. After that, the sidecar retries the request if {@code retries} permits it,
     * or returns 504.
     */
    public static final ValueKey<Long> TRY = Key.durationOrOffNs(ROUTE_TIMEOUTS, "try");

    /**
     * Maximum time without data from either side of an exchange. It replaces {@code body-idle} of the listener, and
     * {@code idle} for upgraded connections. Use {@code off} for event streams and gRPC watches. In this case, another
     * mechanism must detect dead peers: {@code tcp-keep-alive}, or {@code http2.keep-alive} if only HTTP/2 is used. A
     * peer that does not read pending data is still limited by the timeout of the listener. See
     * [resilience.md](resilience.md#long-lived-streams).
     */
    public static final ValueKey<Long> STREAM_IDLE =
            Key.durationOrOffNs(ROUTE_TIMEOUTS, "stream-idle", "as the listener");

    /** Conditions for this route. All conditions must match. An empty mapping matches every request. */
    public static final Key MATCH = Key.text(ROUTES, "match", Key.MAPPING, "{}");

    private ListenerKeys() {}
}
